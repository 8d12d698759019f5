package io.belfry.server.session;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Writes a session's bytes to its connection. Owner: the lane's loop. The bytes of a passed buffer are written or copied
 * before a call returns.
 */
public interface Outbound {
    /**
     * Writes these bytes now. Returns false when the socket did not take all of them: the rest is kept and written later,
     * and the {@link Session} is not ready until then.
     */
    boolean write(ByteBuf bytes, int offset, int length);

    /** Adds these bytes to those that {@link #flushStaged} writes together. */
    void stage(ByteBuf bytes, int offset, int length);

    /** Writes the staged bytes; returns what {@link #write} returns. */
    boolean flushStaged();

    /** Returns the accepted bytes that the socket has not taken yet. */
    int queuedBytes();

    /** Stops reading from the client until {@link #resumeReading}; nested pauses are counted. */
    void pauseReading();

    void resumeReading();

    /** Keeps the client's commands unread or undecoded until {@link #releaseCommands}; nested holds are counted. */
    default void holdCommands() {
        pauseReading();
    }

    default void releaseCommands() {
        resumeReading();
    }

    /**
     * Sends a keep-alive; returns whether a living client answers it, or its system does and {@link #acknowledgedMillis}
     * reports that.
     */
    boolean ping();

    /**
     * Returns the time in ms since the client's system showed life, for a client that cannot answer by itself. That is
     * {@code silentMillis}, the time since the session last showed life, where nothing newer is known. After
     * {@code limitMillis} of silence the caller closes the session.
     */
    default int acknowledgedMillis(int silentMillis, int limitMillis) {
        return silentMillis;
    }

    /** Returns whether the client is on this machine and is not a page of another origin. */
    boolean isLoopback();

    /** Returns the subject of the client's certificate in the form of RFC 2253, or null without a certificate. */
    default @Nullable String certificateSubject() {
        return null;
    }

    /** Returns the rates that the client shares with all clients of its address. */
    default AddressShare address() {
        return AddressShare.UNBOUNDED;
    }

    /** Closes the connection in the way of its protocol, after the staged bytes. */
    void close(Code code, String reason);
}
