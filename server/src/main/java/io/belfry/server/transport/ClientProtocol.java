package io.belfry.server.transport;

import io.belfry.protocol.WireFormat;
import io.belfry.server.codec.HandshakeResult;
import io.belfry.server.entitlement.Principal;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A protocol of clients: the conditions that select it, and the {@link Phase} that serves a connection of it. The phase has the
 * decoder, which calls the {@link io.belfry.server.session.Commands} of its session, the rule of keep-alive, and the
 * close message. {@link BelfryProtocols} lists the protocols of the server. Immutable; all loops share it.
 */
interface ClientProtocol {
    /** Whether the first bytes of a connection are those of a protocol. */
    enum Match {
        YES,
        NO,
        /** More bytes are needed to decide. */
        MORE
    }

    /** Returns the name in messages; of a protocol over WebSocket the name in Sec-WebSocket-Protocol. */
    String name();

    /** Returns the formats of the sessions that share their bytes. Ids are from 0 to 63; no other format has the same id. */
    default List<WireFormat> formats() {
        return List.of();
    }

    /** Returns the HTTP paths that select the protocol. */
    default List<HttpEndpoint> endpoints() {
        return List.of();
    }

    /** Returns whether the WebSocket subprotocol of this name selects the protocol; then {@link #overWebSocket} serves. */
    default boolean isSubprotocol() {
        return false;
    }

    /** Returns the phase of an accepted WebSocket, and opens its session. */
    default Phase overWebSocket(Connection connection, HandshakeResult.Accepted accepted, Principal principal) {
        throw new IllegalStateException(name() + " is not a subprotocol");
    }

    /** Returns whether first bytes of a connection select the protocol; only then {@link #begins} is called. */
    default boolean hasFirstBytes() {
        return false;
    }

    /**
     * Checks the first bytes of a connection, without reading them. After {@link ClientProtocols#FIRST_BYTES_MAX} bytes,
     * {@link Match#MORE} counts as {@link Match#NO}.
     */
    default Match begins(ByteBuf first) {
        return Match.NO;
    }

    /** Returns the phase of a connection with such first bytes, which the phase reads again; it authenticates the client. */
    default Phase overTcp(Connection connection) {
        throw new IllegalStateException(name() + " has no first bytes");
    }
}
