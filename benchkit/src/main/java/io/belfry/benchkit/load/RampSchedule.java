package io.belfry.benchkit.load;

/** How many connections are to be begun by when. Immutable. */
record RampSchedule(int clients, double perSecond, int answersOpenMax) {
    /** How many may be begun now, {@code elapsedNanos} after the start. */
    int due(long elapsedNanos, int begun, int answersOpen) {
        double byNow = Math.min(clients, Math.floor(elapsedNanos / 1e9 * perSecond) + 1);
        return (int) Math.max(0, Math.min(byNow - begun, answersOpenMax - answersOpen));
    }
}
