package io.belfry.server.transport;

import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.WireFormat;
import io.belfry.server.codec.HandshakeResult;
import io.belfry.server.entitlement.Principal;

/** A subprotocol of WebSocket in which each message is one command. Immutable; all loops share it. */
interface MessageProtocol extends ClientProtocol {
    /** Returns whether the messages are in binary frames, and not in text frames. */
    boolean isBinary();

    /** Returns the format of its sessions. */
    WireFormat format(boolean deflated);

    /** Returns the decoder for messages of this connection. */
    CommandDecoder decoder(Connection connection);

    @Override
    default boolean isSubprotocol() {
        return true;
    }

    @Override
    default Phase overWebSocket(Connection connection, HandshakeResult.Accepted accepted, Principal principal) {
        return new WebSocketConnection(connection, this, accepted.isDeflated(), principal);
    }
}
