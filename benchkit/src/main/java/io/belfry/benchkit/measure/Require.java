package io.belfry.benchkit.measure;

/** Checks the values that a user sets. Pure. */
public final class Require {
    private Require() {}

    /** Throws {@link IllegalArgumentException} with this sentence unless the value is valid. */
    public static void that(boolean valid, String sentence) {
        if (!valid) {
            throw new IllegalArgumentException(sentence);
        }
    }
}
