package io.belfry.client;

/** The server rejected a subscription, or the client was closed before the response. */
public final class SubscribeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String code;

    SubscribeException(String code, String reason) {
        super(code + ": " + reason);
        this.code = code;
    }

    /** Returns the server's code, such as {@code subscribe-denied}. */
    public String code() {
        return code;
    }
}
