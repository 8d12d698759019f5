package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.session.Replies;
import io.netty.buffer.ByteBuf;

/** What a connection speaks at the moment: HTTP requests first, then maybe a WebSocket or a stream. Owner: the loop. */
interface Phase {
    /** Takes bytes; what it leaves unread comes again in front of the next ones. */
    void onBytes(ByteBuf in);

    /** Writes what this protocol says at the end; the connection sends it and closes. */
    void writeEnd(ByteBuf out, Code code, String reason);

    /** Answers whether the keep-alive it staged is one that clients answer. */
    boolean ping();

    /** Nothing came within the time for a handshake: whether that is an offence now. */
    default boolean awaitsHandshake() {
        return false;
    }

    /** Bytes held of something that has not come whole. */
    default int incompleteBytes() {
        return 0;
    }

    /** What tells this phase's session where it has no shared wire format. */
    default Replies replies() {
        throw new IllegalStateException("this phase's session has a shared wire format");
    }

    /** The socket has taken what it left before. */
    default void onWritable() {}

    /** The connection is gone: give back what is held. */
    void onGone();
}
