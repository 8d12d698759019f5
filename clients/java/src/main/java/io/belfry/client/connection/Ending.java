package io.belfry.client.connection;

/**
 * The reason why a connection ended or could not be made. Immutable.
 *
 * @param sentence one line for a person
 * @param number HTTP status of an error, or code of a Close frame; 0 if there is none
 * @param code the server's reason code, such as {@code unauthorized}; empty if it gave none
 * @param retryAfterMillis time that the server asks the client to wait; 0 if it does not ask
 */
public record Ending(Cause cause, String sentence, int number, String code, long retryAfterMillis) {
    public Ending(Cause cause, String sentence) {
        this(cause, sentence, 0, "", 0);
    }

    /** The kind of ending, for counting. */
    public enum Cause {
        /** This side closed the connection. */
        FINISHED,
        /** No server listens at the address, or there is no route to it. */
        UNREACHABLE,
        /** The chosen pair of source address and port is in use; the next may be free. */
        SOURCE_TAKEN,
        /** No source port is free. */
        PORTS_USED_UP,
        /** The process has reached its limit of open files. */
        FILES_USED_UP,
        /** No response arrived in time. */
        TIMED_OUT,
        /** TLS failed: no common version or cipher, or the certificate is not trusted. */
        TLS_FAILED,
        /** The server rejected the request. */
        REFUSED,
        /** The server sent a Close frame, or the last chunk of a stream. */
        CLOSED_BY_SERVER,
        /** The connection ended without a close. */
        LOST,
        /** The server violated the protocol, or used a feature that this client does not support. */
        BAD_FRAME
    }
}
