package io.belfry.server.codec;

import org.jspecify.annotations.Nullable;

/** The result of checking a request as a WebSocket handshake. */
public sealed interface HandshakeResult permits HandshakeResult.Accepted, Refusal {
    /**
     * The handshake is valid and is answered with 101.
     *
     * @param subprotocol the name of the subprotocol of the connection
     * @param named whether the client listed subprotocols, so that the answer names the chosen one
     * @param acceptKey the value of Sec-WebSocket-Accept
     * @param extensions the value of Sec-WebSocket-Extensions, with the negotiated compression; null for none
     */
    record Accepted(
            String subprotocol,
            boolean named,
            String acceptKey,
            @Nullable String extensions) implements HandshakeResult {
        /** Returns whether messages may be compressed, in both directions. */
        public boolean isDeflated() {
            return extensions != null;
        }
    }
}
