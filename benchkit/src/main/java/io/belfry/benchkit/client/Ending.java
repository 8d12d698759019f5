package io.belfry.benchkit.client;

/**
 * Why a connection could not be made or does not stand any more. Immutable.
 *
 * @param sentence one line for the person who runs the test
 */
public record Ending(Cause cause, String sentence) {
    /** What kind of ending it is, for counting. */
    public enum Cause {
        /** This side ended it. */
        FINISHED,
        /** Nobody listens there, or no route leads there. */
        UNREACHABLE,
        /** The explicit pair of address and port is taken; the next may do. */
        SOURCE_TAKEN,
        /** No source port is left. */
        PORTS_USED_UP,
        /** The process may open no more files. */
        FILES_USED_UP,
        /** No answer in time. */
        TIMED_OUT,
        /** The server answered, but not with a WebSocket. */
        REFUSED,
        /** The server sent a Close frame. */
        CLOSED_BY_SERVER,
        /** The connection ended without a Close frame. */
        LOST,
        /** The server broke the WebSocket protocol, or used a part of it that this client does not take. */
        BAD_FRAME
    }
}
