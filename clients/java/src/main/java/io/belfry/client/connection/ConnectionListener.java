package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;

/** Receives the events of one connection, on its loop. */
public interface ConnectionListener {
    /** The handshake is complete. */
    void onOpen(ServerConnection connection);

    /**
     * One complete message, or one event of an HTTP stream; the bytes are valid until this method returns.
     *
     * @param readNanos the loop's time of the read, the same for all messages of one read
     */
    void onMessage(ServerConnection connection, ByteBuf bytes, int offset, int length, boolean binary, long readNanos);

    /** The {@code id:} of the server-sent event whose data follows; the bytes are valid until this method returns. */
    default void onEventId(ServerConnection connection, ByteBuf bytes, int offset, int length) {}

    /**
     * The response to the oldest request of an {@link HttpCalls} connection; the bytes are valid until this method
     * returns.
     */
    default void onAnswer(ServerConnection connection, int status, ByteBuf body) {}

    /** The server named the ping interval of a stream, in ms; called before {@link #onOpen}. */
    default void onPingInterval(long millis) {}

    /** All messages of one read were delivered. */
    default void onReadEnd(ServerConnection connection, int bytes) {}

    /** The connection became writable, or stopped being writable. */
    default void onWritable(ServerConnection connection, boolean writable) {}

    /** The connection has ended. Called exactly once for every connection, even if it was never open. */
    void onEnd(Ending ending);
}
