package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;

/** What happens on one connection; called on its loop. */
public interface ConnectionListener {
    /** The handshake is done. */
    void onOpen(Connection connection);

    /**
     * One whole message, or the event of an HTTP stream; the bytes are valid until this returns.
     *
     * @param readNanos the loop's clock when the bytes were read, the same for all messages of one read
     */
    void onMessage(Connection connection, ByteBuf bytes, int offset, int length, boolean binary, long readNanos);

    /** The {@code id:} of the server-sent event whose object comes next; the bytes are valid until this returns. */
    default void onEventId(Connection connection, ByteBuf bytes, int offset, int length) {}

    /** The answer to the oldest request of an {@link HttpCalls} connection; the bytes are valid until this returns. */
    default void onAnswer(Connection connection, int status, ByteBuf body) {}

    /** All messages of one read have been passed. */
    default void onReadEnd(Connection connection, int bytes) {}

    /** The socket takes more, or no more for now. */
    default void onWritable(Connection connection, boolean writable) {}

    /** Called once for every connection that was begun, whether it was ever open or not. */
    void onEnd(Ending ending);
}
