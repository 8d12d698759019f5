package io.belfry.server.counter;

/**
 * The lag of a session as its lane last measured it. Immutable.
 *
 * @param session the name that its client received
 * @param address its client's address, of IPv6 the network of 64 bits; empty if it is unknown
 * @param policy the policy that applies beyond the bounds, as in the configuration; several where its subjects differ
 * @param behindBytes bytes of messages that it has missed and not received since
 * @param behindMessages number of these messages
 * @param subjects number of subjects whose head it has not reached
 * @param queuedBytes bytes given to its socket and not taken yet
 * @param sinceMillis last time at which it did not lag, in ms since 1970
 */
public record SlowSession(
        String session,
        String address,
        State state,
        String policy,
        long behindBytes,
        long behindMessages,
        int subjects,
        int queuedBytes,
        long sinceMillis) {
    /** The reason for the lag. */
    public enum State {
        /** The socket is not writable. */
        STALLED,
        /** The socket is not writable and a bound is exceeded: the policy will skip some of the missed messages. */
        TOO_SLOW,
        /** The socket is writable, and the session reads the missed messages from the history. */
        CATCHING_UP
    }

    /** Returns all bytes that the session has not received. */
    public long bytes() {
        return behindBytes + queuedBytes;
    }
}
