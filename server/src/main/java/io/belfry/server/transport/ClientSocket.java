package io.belfry.server.transport;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The socket of one connection. The kinds of sockets differ below this interface only.
 * Owner: the loop of the connection, which alone calls it. What happens on the socket is reported to {@link SocketEvents}.
 *
 * <p>Bytes are sent in the order of the calls. After the socket is closed, further bytes are discarded.
 */
interface ClientSocket {
    /**
     * Writes bytes directly from the buffer. Returns the number of bytes accepted, which is 0 if others are queued before
     * them or this kind of socket queues all bytes; or -1 if the socket is closed, maybe by an error of this write.
     */
    int writeNow(ByteBuf bytes, int offset, int length);

    /** Queues the bytes that {@link #writeNow} left; the socket releases the buffer. */
    void enqueue(ByteBuf bytes);

    /** Returns the number of queued bytes that the kernel has not accepted. */
    int queuedBytes();

    /** Returns whether bytes are queued. */
    boolean isQueued();

    /** Returns whether the socket accepts more bytes at once; where writes complete later, a few may be in flight. */
    boolean takesMore();

    /** Reads nothing more, apart from what is pending when the client closes. */
    void pauseReading();

    void resumeReading();

    /** Closes the sending half when the queued bytes are sent; closes the socket if the client has closed its half. */
    void shutdownOutput();

    /** Closes the socket when the queued bytes are sent. */
    void closeAfterQueued();

    /** Closes the socket at once, after the close message of TLS. */
    void close();

    /** Closes the socket at once without a message, even that of TLS, which would wait for a client that reads nothing. */
    void cut();

    /** Returns whether the kernel reports the acknowledgements of the client's system; the JDK's sockets do not. */
    boolean showsAcknowledgements();

    /** Returns the time in ms since the client's system showed life, as {@link TcpLiveness} determines it. */
    int acknowledgedMillis(int silentMillis, int limitMillis);

    /** Enables TCP keep-alive, so that the kernel probes the client's system after a silent ping interval. */
    void probeWhileSilent();

    // ---- TLS, which not every kind of socket supports ----

    /** Encrypts all further bytes. */
    default void encrypt() {
        throw new IllegalStateException("this kind of socket does not support TLS");
    }

    /** Receives bytes that were read before {@link #encrypt}. */
    default void receiveEncrypted(ByteBuf bytes) {
        bytes.release();
        throw new IllegalStateException("this kind of socket does not support TLS");
    }

    /** Returns whether {@link #encrypt} was called. */
    default boolean isEncrypted() {
        return false;
    }

    /** Returns whether the handshake of TLS is not complete yet. */
    default boolean isHandshaking() {
        return false;
    }

    /** Returns the subject of the client's certificate in the form of RFC 2253, or null without a certificate. */
    default @Nullable String certificateSubject() {
        return null;
    }
}
