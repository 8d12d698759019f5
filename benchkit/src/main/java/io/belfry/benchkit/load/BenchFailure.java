package io.belfry.benchkit.load;

/** The test cannot go on; the message is one line for the person who runs it. */
public final class BenchFailure extends RuntimeException {
    public BenchFailure(String sentence) {
        super(sentence, null, false, false);
    }
}
