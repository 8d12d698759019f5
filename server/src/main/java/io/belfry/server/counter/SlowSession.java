package io.belfry.server.counter;

/**
 * How far a session lags, as its lane last saw it. Immutable.
 *
 * @param policy what happens to it past the bounds, in the words of the configuration; several where its subjects differ
 * @param behindBytes what it has missed so far and not been given since
 * @param behindMessages the same as messages
 * @param subjects how many it is not at the head of
 * @param queuedBytes given to its socket and not taken yet
 * @param sinceMillis when it last was where it should be, ms since 1970
 */
public record SlowSession(
        String session,
        State state,
        String policy,
        long behindBytes,
        long behindMessages,
        int subjects,
        int queuedBytes,
        long sinceMillis) {
    /** Why it lags. */
    public enum State {
        /** Its socket does not take what it was given. */
        STALLED,
        /** Its socket takes nothing, and it is past a bound: the policy will leave out some of what it missed. */
        TOO_SLOW,
        /** Its socket takes bytes, and it reads on. */
        CATCHING_UP
    }

    /** Everything it is short of. */
    public long bytes() {
        return behindBytes + queuedBytes;
    }
}
