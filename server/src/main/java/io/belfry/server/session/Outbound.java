package io.belfry.server.session;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Where a session's bytes go. Owner: the lane's loop. The bytes of the buffers passed in are taken or copied before a call
 * returns.
 */
public interface Outbound {
    /**
     * Writes these bytes now. Answers false when the socket did not take all of them: the rest is kept and written when it
     * can be, and {@link Session} is not ready until then.
     */
    boolean write(ByteBuf bytes, int offset, int length);

    /** Adds these bytes to what {@link #flushStaged} writes in one go. */
    void stage(ByteBuf bytes, int offset, int length);

    /** Writes what was staged; answers as {@link #write} does. */
    boolean flushStaged();

    /** Bytes accepted and not yet taken by the socket. */
    int queuedBytes();

    /** Stops reading from the client until {@link #resumeReading}; pauses count. */
    void pauseReading();

    void resumeReading();

    /** What the client commands waits, unread or undecoded, until {@link #releaseCommands}. */
    default void holdCommands() {
        pauseReading();
    }

    default void releaseCommands() {
        resumeReading();
    }

    /** Sends a keep-alive; answers whether a living client answers it, as a WebSocket does and a response stream cannot. */
    boolean ping();

    /** What tells a session without a shared wire format; asked for such sessions only. */
    Replies replies();

    /** Whether the client is on this machine, and is for certain no page of somebody elsewhere. */
    boolean isLoopback();

    /** The subject of the certificate that the client showed, in the form of RFC 2253; null without one. */
    default @Nullable String certificateSubject() {
        return null;
    }

    /** What the client shares with all others of its address. */
    default AddressShare address() {
        return AddressShare.UNBOUNDED;
    }

    /** Ends the connection in the way of its protocol, after what is staged. */
    void close(Code code, String reason);
}
