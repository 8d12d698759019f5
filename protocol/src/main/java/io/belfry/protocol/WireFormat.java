package io.belfry.protocol;

import io.netty.buffer.ByteBuf;

/**
 * The bytes sent to a socket: events of an encoding inside the framing of a transport. Each method appends one complete
 * frame or chunk, so that many can be sent in one write. A lane encodes a message once for each format and writes the
 * same bytes to all sessions of that format, so the bytes depend on nothing but the event. The data of a message may be
 * any bytes, so a format of text needs a form for data that is not UTF-8. Implementations are immutable; a format is one
 * object.
 */
public interface WireFormat extends ServerEncoding {
    /** Ids are below this value. */
    int IDS = 64;

    /** Returns the index of the format in the tables of a lane; below {@link #IDS}, and different for each format. */
    int id();

    /** Returns the name in lists of sessions, for example {@code websocket-json}. */
    String text();

    /** Whether sessions of this format only receive and cannot send commands. */
    boolean isStream();

    /** Whether a {@link FrameDeflater} compresses the messages. */
    boolean isDeflated();

    /** Whether a message may be a delta, {@link MessageView#isDelta}. */
    default boolean hasDeltas() {
        return false;
    }

    /** Appends the keep-alive of an idle connection: a WebSocket ping, a comment or an empty line. */
    void keepAlive(ByteBuf out);

    /** The end of the stream: a close frame with the code's number and text, or the last chunk; none without chunks. */
    void close(ByteBuf out, Code code);
}
