package io.belfry.server.codec;

import org.jspecify.annotations.Nullable;

/** What came of looking at a request as a WebSocket handshake. */
public sealed interface HandshakeResult permits HandshakeResult.Accepted, Refusal {
    /**
     * A handshake to answer with 101.
     *
     * @param subprotocol what the connection will speak
     * @param named whether the client asked for subprotocols, so that the answer names the chosen one
     * @param acceptKey the value of Sec-WebSocket-Accept
     * @param extensions the value of Sec-WebSocket-Extensions: compression as it will be; null for none
     */
    record Accepted(
            Subprotocol subprotocol,
            boolean named,
            String acceptKey,
            @Nullable String extensions) implements HandshakeResult {
        /** Whether messages may be compressed, in both directions. */
        public boolean isDeflated() {
            return extensions != null;
        }
    }
}
