package io.belfry.server.transport;

import io.netty.buffer.ByteBuf;

/** Receives what happens on a {@link ClientSocket}. Owner: the loop of the socket. */
interface SocketEvents {
    /** Returns what the connections of the loop share. */
    LoopContext context();

    /** Called once, when the loop serves the socket, before any other method. */
    void onOpen();

    /** Called with bytes of the client; the receiver releases the buffer. */
    void onRead(ByteBuf bytes);

    /** Called once, when the client has closed its half of the connection and all its bytes have been passed on. */
    void onInputEnded();

    /** Called when the client has ended the encryption of a connection with TLS. */
    void onEncryptionEnded();

    /** Called when the socket has accepted bytes that it left before, and accepts more. */
    void onSocketReady();

    /** Called when the socket or a receiver of its events has failed; the socket is closed then. */
    void onFailure(Throwable cause);

    /** Called once, in a task of its own, after the socket is closed for whatever reason. */
    void onClosed();
}
