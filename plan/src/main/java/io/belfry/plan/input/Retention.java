package io.belfry.plan.input;

/**
 * The history each node is to keep. Immutable.
 *
 * @param seconds how long a client may be away and miss nothing; 0 keeps none
 * @param messages {@code CacheSize}: of each subject, and no more
 */
public record Retention(double seconds, long messages) {
    public boolean isNone() {
        return seconds == 0 || messages == 0;
    }
}
