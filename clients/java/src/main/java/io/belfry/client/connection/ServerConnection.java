package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;

/** One connection to a server, whatever its protocol. Owner: its loop; all methods are called there. */
public interface ServerConnection {
    /**
     * Sends one message. The caller keeps {@code payload}, but its bytes are overwritten. On an {@link HttpCalls}
     * connection a message is one complete request; an HTTP stream accepts no messages.
     */
    default void send(ByteBuf payload, boolean binary) {
        ByteBuf frames = buffer();
        append(frames, payload, binary);
        flush(frames);
    }

    /** Returns a buffer for {@link #append}; {@link #flush} releases it. */
    ByteBuf buffer();

    /**
     * Adds a message to those that the next flush sends. The caller keeps {@code payload}, but its bytes are
     * overwritten.
     */
    void append(ByteBuf frames, ByteBuf payload, boolean binary);

    /** Sends the appended messages in one write, and releases the buffer. */
    void flush(ByteBuf frames);

    /** Whether the handshake is complete and the connection has not ended. */
    boolean isOpen();

    /** Whether the unsent bytes are below the connection's bound. */
    boolean isWritable();

    /** Returns the loop that serves the connection. */
    ClientLoop loop();

    /**
     * Stops reading from the socket, so that unread data stays on the server's side. Messages of the current read are
     * still delivered. While paused, the connection does not notice that the server closed it.
     */
    void pauseReading();

    /** Reads from the socket again. */
    void resumeReading();

    /** Closes the connection without a close message of its protocol; the listener's {@code onEnd} is called. */
    void drop();

    /** Closes the connection; the listener's {@code onEnd} is called. */
    void finish();
}
