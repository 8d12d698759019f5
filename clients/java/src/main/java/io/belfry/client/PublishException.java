package io.belfry.client;

import java.time.Duration;

/** The reason why a publish was not acknowledged; the future of the publish fails with it. */
public final class PublishException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The known outcome of the publish. */
    public enum Kind {
        /** The server rejected the message; {@link #code} has the reason. */
        REFUSED,
        /** The message was sent and the connection broke before the response: the outcome is unknown. */
        UNKNOWN,
        /** No response arrived in time; the message may have been published. */
        TIMED_OUT,
        /** Too many publishes, or too many bytes, wait already: the message was not sent. */
        TOO_MANY_PENDING,
        /**
         * The client was closed or rejected for good before the response; a message that was sent may have been
         * published.
         */
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

    /** Returns what is known about the outcome. */
    public Kind kind() {
        return kind;
    }

    /** Returns the server's code, such as {@code publish-denied}; empty if the error is not the server's. */
    public String code() {
        return code;
    }

    /** Returns how long to wait before a retry, counted from the response; zero if the server did not say. */
    public Duration retryAfter() {
        return Duration.ofMillis(retryAfterMillis);
    }
}
