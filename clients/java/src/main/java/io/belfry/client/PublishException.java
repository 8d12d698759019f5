package io.belfry.client;

import java.time.Duration;

/** Why a publish was not acknowledged; what its future fails with. */
public final class PublishException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What is known of the message. */
    public enum Kind {
        /** The server did not take it: {@link #code} says why. */
        REFUSED,
        /** It was sent and the connection broke before the answer: nobody knows. */
        UNKNOWN,
        /** No answer in time; it may have been taken. */
        TIMED_OUT,
        /** Too many, or too many bytes, wait already: it was not sent. */
        TOO_MANY_PENDING,
        /** The client was closed, or refused for good, before the answer; it may have been taken if it was sent. */
        CLOSED
    }

    private final Kind kind;
    private final String code;
    private final long retryAfterMillis;

    PublishException(Kind kind, String code, String reason) {
        this(kind, code, reason, 0);
    }

    PublishException(Kind kind, String code, String reason, long retryAfterMillis) {
        super(code.isEmpty() ? reason : code + ": " + reason);
        this.kind = kind;
        this.code = code;
        this.retryAfterMillis = retryAfterMillis;
    }

    public Kind kind() {
        return kind;
    }

    /** The server's code, such as {@code publish-denied}; empty where it is not the server that says no. */
    public String code() {
        return code;
    }

    /** When the server will take it, counted from its answer; zero where it does not say. */
    public Duration retryAfter() {
        return Duration.ofMillis(retryAfterMillis);
    }
}
