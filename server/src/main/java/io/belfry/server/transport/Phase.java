package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.session.Replies;
import io.netty.buffer.ByteBuf;

/** The current protocol of a connection: HTTP first, then possibly WebSocket or a stream. Owner: the loop. */
interface Phase {
    /** Consumes bytes; unread bytes are passed again, before later ones. */
    void onBytes(ByteBuf in);

    /** Writes the protocol's close message; the connection sends it and closes. */
    void writeEnd(ByteBuf out, Code code, String reason);

    /** Sends a keep-alive; returns whether clients answer it, or their system acknowledges it visibly. */
    boolean ping();

    /** Returns whether acknowledgements by its system are the client's only sign of life. */
    default boolean isHeardBySystem() {
        return false;
    }

    /**
     * Called when the client has closed its half of the connection and all its bytes have been passed on. May be
     * called more than once.
     */
    void onInputEnd();

    /** Returns whether the client must send a complete request now, so that the handshake deadline applies. */
    default boolean awaitsHandshake() {
        return false;
    }

    /** Returns the number of bytes held for incomplete input. */
    default int incompleteBytes() {
        return 0;
    }

    /** Returns the receiver of the session's replies, for a session without a shared wire format. */
    default Replies replies() {
        throw new IllegalStateException("the replies of this phase have a wire format and no receiver of their own");
    }

    /** Called when the socket has accepted the bytes that it left before. */
    default void onWritable() {}

    /** Called when the connection is closed; releases everything held. */
    void onGone();
}
