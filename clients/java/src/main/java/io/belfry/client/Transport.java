package io.belfry.client;

/** The transport of commands and events. */
public enum Transport {
    /** One WebSocket for both directions. */
    WEBSOCKET,
    /** Events as JSON lines over one HTTP response, publishes as HTTP requests: for networks that block WebSockets. */
    HTTP_STREAM,
    /** Like {@link #HTTP_STREAM}, as server-sent events: for proxies that forward this media type unbuffered. */
    SSE
}
