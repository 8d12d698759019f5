package io.belfry.benchkit.load;

/** How clients talk to the server. */
public enum Transport {
    /** Both ways over one WebSocket. */
    WEBSOCKET,
    /** Subscribers read newline-delimited JSON; publishers POST each message. */
    HTTP_STREAM,
    /** Subscribers read server-sent events; publishers POST each message. */
    SSE
}
