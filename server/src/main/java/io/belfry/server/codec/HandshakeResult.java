package io.belfry.server.codec;

/** What came of looking at a request as a WebSocket handshake. */
public sealed interface HandshakeResult permits HandshakeResult.Accepted, Refusal {
    /**
     * A handshake to answer with 101.
     *
     * @param subprotocol what the connection will speak
     * @param named whether the client asked for subprotocols, so that the answer names the chosen one
     * @param acceptKey the value of Sec-WebSocket-Accept
     */
    record Accepted(Subprotocol subprotocol, boolean named, String acceptKey) implements HandshakeResult {}
}
