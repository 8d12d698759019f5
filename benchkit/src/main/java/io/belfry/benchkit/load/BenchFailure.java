package io.belfry.benchkit.load;

/** Reports that the test cannot continue; the message is one line for the user. */
public final class BenchFailure extends RuntimeException {
    public BenchFailure(String sentence) {
        super(sentence, null, false, false);
    }
}
