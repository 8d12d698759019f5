package io.belfry.client.connection;

/**
 * Why a connection could not be made or does not stand any more. Immutable.
 *
 * @param sentence one line for a person
 * @param number the HTTP status of a refusal, the close code of a Close frame; 0 where there is none
 * @param code the server's reason code, such as {@code unauthorized}; empty where it gave none
 * @param retryAfterMillis how long the server asks to wait; 0 where it does not
 */
public record Ending(Cause cause, String sentence, int number, String code, long retryAfterMillis) {
    public Ending(Cause cause, String sentence) {
        this(cause, sentence, 0, "", 0);
    }

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
        /** The two sides found no common TLS, or the certificate is not trusted. */
        TLS_FAILED,
        /** The server answered, but not with what was asked for. */
        REFUSED,
        /** The server sent a Close frame, or the last chunk of a stream. */
        CLOSED_BY_SERVER,
        /** The connection ended without a word. */
        LOST,
        /** The server broke the protocol, or used a part of it that this client does not take. */
        BAD_FRAME
    }
}
