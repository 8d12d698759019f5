package io.belfry.client;

/** What carries the events. */
public enum Transport {
    /** One connection for everything, both ways. */
    WEBSOCKET,
    /** Events as lines of JSON over one HTTP answer, publishing by HTTP requests: for networks that break WebSockets. */
    HTTP_STREAM,
    /** The same as server-sent events: for proxies that know this media type and pass it on unbuffered. */
    SSE
}
