package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;

/** One connection to a server, whatever it speaks. Owner: its loop; nobody else calls in. */
public interface Connection {
    /**
     * Sends a message of its own; {@code payload} stays the caller's, its bytes are spent. On an {@link HttpCalls}
     * connection a message is one whole request; an HTTP stream takes none.
     */
    default void send(ByteBuf payload, boolean binary) {
        ByteBuf frames = buffer();
        append(frames, payload, binary);
        flush(frames);
    }

    /** A buffer for {@link #append}; give it to {@link #flush}, which releases it. */
    ByteBuf buffer();

    /** Adds a message to what one flush sends; {@code payload} stays the caller's, its bytes are spent. */
    void append(ByteBuf frames, ByteBuf payload, boolean binary);

    /** Sends what was appended in one write and releases the buffer. */
    void flush(ByteBuf frames);

    boolean isOpen();

    /** Whether the socket takes more before its buffer holds more than is good. */
    boolean isWritable();

    ClientLoop loop();

    /**
     * Reads no more from the socket, so that what the server sends piles up at the server's side. Messages of the read
     * that is going on still come. A connection that is not read does not see that the server closed it either.
     */
    void pauseReading();

    void resumeReading();

    /** Ends the connection in order; the listener is told once more. */
    void finish();
}
