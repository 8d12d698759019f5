package io.belfry.attack.attacks;

import io.belfry.benchkit.load.LoadTarget.ConnectOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The client side of TLS: Netty's handler without a socket, which begins its handshake at once. Owner: its {@link
 * AttackConnection}, which releases the buffers with {@link #close}.
 */
final class TlsLayer implements AutoCloseable {
    /** Trusts every certificate: the server is a child process of this program. */
    private static final SslContext TRUSTING_ANY = ConnectOptions.contextTrustingAny();

    private final SslHandler handler;
    private final EmbeddedChannel channel;

    TlsLayer() {
        handler = TRUSTING_ANY.newHandler(ByteBufAllocator.DEFAULT);
        channel = new EmbeddedChannel(handler);
    }

    /** Loads the TLS library, which takes a second in a new JVM on a busy machine. */
    static void load() {
        // The initialization of this class loads the library.
    }

    /** Returns the first bytes that a client sends. */
    static byte[] hello() {
        try (TlsLayer tls = new TlsLayer()) {
            return tls.outgoing().array();
        }
    }

    /** Returns whether the handshake is complete. */
    boolean isReady() {
        return handler.handshakeFuture().isSuccess();
    }

    /** Returns whether the handshake failed or the server closed the encrypted stream. */
    boolean isEnded() {
        return handler.handshakeFuture().cause() != null
                || handler.sslCloseFuture().isDone();
    }

    /** Encrypts bytes; {@link #outgoing} returns them. */
    void encrypt(byte[] bytes) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }

    /** Returns all records that are ready to be sent, those of the handshake too. */
    ByteBuffer outgoing() {
        return drained(channel::readOutbound);
    }

    /** Decrypts received bytes; returns the data of all records that are now complete. */
    ByteBuffer decrypt(ByteBuffer bytes) {
        channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(bytes)).fireChannelReadComplete();
        return drained(channel::readInbound);
    }

    private static ByteBuffer drained(Supplier<@Nullable ByteBuf> queue) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf next = queue.get(); next != null; next = queue.get()) {
            all.writeBytes(ByteBufUtil.getBytes(next));
            next.release();
        }
        return ByteBuffer.wrap(all.toByteArray());
    }

    @Override
    public void close() {
        channel.close();
        channel.releaseInbound();
        channel.releaseOutbound();
    }
}
