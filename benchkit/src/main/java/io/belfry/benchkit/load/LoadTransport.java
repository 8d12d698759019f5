package io.belfry.benchkit.load;

/** The protocol between the clients of a load generator and the server. */
public enum LoadTransport {
    /** One WebSocket for both directions. */
    WEBSOCKET,
    /** Subscribers read newline-delimited JSON; publishers POST each message. */
    HTTP_STREAM,
    /** Subscribers read server-sent events; publishers POST each message. */
    SSE
}
