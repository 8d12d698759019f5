package io.belfry.client;

/** The server refused a subscription, or the client was closed before it was answered. */
public final class SubscribeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String code;

    SubscribeException(String code, String reason) {
        super(code + ": " + reason);
        this.code = code;
    }

    /** The server's code, such as {@code subscribe-denied}. */
    public String code() {
        return code;
    }
}
