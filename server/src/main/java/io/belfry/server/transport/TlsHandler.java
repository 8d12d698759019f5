package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.tls.TlsContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of one connection, in front of it in the pipeline: what a client may cost before its handshake is complete is
 * bounded here, and what lies unread is no more than what came. Owner: the loop.
 */
final class TlsHandler extends SslHandler {
    private static final int RECORD_HEADER_BYTES = 5;
    private static final int HANDSHAKE_HEADER_BYTES = 4;
    private static final int HANDSHAKE_RECORD = 22;

    /** A client's last words of the handshake may have the beginning of what it wants behind them. */
    private static final int BEHIND_HANDSHAKE_BYTES = 64 * 1024;

    /** A connection that is closed in order waits so long for the client to take the farewell. */
    private static final long FAREWELL_MILLIS = 2000;

    private final Connection connection;
    private final Channel channel;
    private final LoopContext context;
    private final int handshakeBytesMax;
    private int handshakeBytes;
    private boolean ready;
    private @Nullable ChannelHandlerContext self;

    TlsHandler(Connection connection, LoopContext context, Channel channel) {
        this(connection, context, channel, context.tls());
    }

    private TlsHandler(Connection connection, LoopContext context, Channel channel, TlsContext tls) {
        super(tls.newEngine(channel.alloc()), tls.tasks());
        this.connection = connection;
        this.channel = channel;
        this.context = context;
        this.handshakeBytesMax = tls.handshakeBytes();
        // Limit.HandshakeTime is kept by the connection, which has no timer of its own either.
        setHandshakeTimeoutMillis(0);
        setCloseNotifyFlushTimeoutMillis(FAREWELL_MILLIS);
        setCumulator(TlsHandler::cumulate);
    }

    boolean isReady() {
        return ready;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        ByteBuf bytes = (ByteBuf) message;
        if (!ready && !isWithinBounds(bytes)) {
            bytes.release();
            fail();
            connection.cut();
            return;
        }
        super.channelRead(ctx, message);
    }

    private boolean isWithinBounds(ByteBuf bytes) {
        boolean first = handshakeBytes == 0;
        handshakeBytes += bytes.readableBytes();
        if (handshakeBytes > handshakeBytesMax + BEHIND_HANDSHAKE_BYTES) {
            return false;
        }
        return !first || helloBytes(bytes) <= handshakeBytesMax;
    }

    /**
     * How long the hello is going to be by its own account. Where the first read does not tell, the engines have bounds of
     * their own, and what is no handshake at all is theirs to refuse.
     */
    private static int helloBytes(ByteBuf bytes) {
        int start = bytes.readerIndex();
        boolean tells = bytes.readableBytes() >= RECORD_HEADER_BYTES + HANDSHAKE_HEADER_BYTES
                && bytes.getByte(start) == HANDSHAKE_RECORD;
        return tells ? bytes.getUnsignedMedium(start + RECORD_HEADER_BYTES + 1) + HANDSHAKE_HEADER_BYTES : 0;
    }

    private void fail() {
        context.lane().counters().increment(Counter.TLS_HANDSHAKES_FAILED);
        context.lane().counters().closed(Code.TLS_FAILED);
    }

    void onHandshake(SslHandshakeCompletionEvent outcome) {
        if (outcome.isSuccess()) {
            ready = true;
            context.lane().counters().increment(Counter.TLS_HANDSHAKES);
        } else if (!ready && handshakeBytes > 0 && !isGone(outcome)) {
            fail();
        }
    }

    /** A client that went away in the middle of it failed at nothing. */
    private static boolean isGone(SslHandshakeCompletionEvent outcome) {
        return outcome.cause() instanceof java.nio.channels.ClosedChannelException;
    }

    /** Whose certificate the client showed; null where it did not. */
    @Nullable
    String clientSubject() {
        try {
            return engine().getSession().getPeerPrincipal().getName();
        } catch (SSLPeerUnverifiedException noneShown) {
            return null;
        }
    }

    // ---- writing ----

    /**
     * As {@link Connection#writeNow}: encrypts straight from the bytes that all sessions share, and hands the socket what
     * comes of it, with nothing of Netty's between. Answers how many bytes were encrypted; where of that the socket does not
     * take all, the rest is in the connection's queue.
     */
    int writeNow(ByteBuf bytes, int offset, int length) {
        if (!ready || isNettyWriting()) {
            return 0;
        }
        try {
            int taken = 0;
            while (taken < length) {
                ByteBuf out = context.encrypted();
                int encrypted = encrypt(bytes.internalNioBuffer(offset + taken, length - taken), out);
                if (!out.isReadable()) {
                    break;
                }
                int written = connection.handOver(out, 0, out.readableBytes());
                if (written < 0) {
                    return -1;
                }
                taken += encrypted;
                if (written < out.readableBytes()) {
                    connection.enqueueEncrypted(below(), rest(out, written));
                    break;
                }
            }
            context.lane().counters().add(Counter.BYTES_OUT, taken);
            return taken;
        } catch (SSLException broken) {
            channel.close();
            return -1;
        }
    }

    /** What the engine has of its own to say goes through Netty, and may not be overtaken. */
    private boolean isNettyWriting() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return pending == null || pending.totalPendingWriteBytes() > 0;
    }

    /** Answers how many bytes were taken of {@code in}; less than all where {@code out} has no room for another record. */
    private int encrypt(ByteBuffer in, ByteBuf out) throws SSLException {
        int start = in.position();
        ByteBuffer room = out.internalNioBuffer(0, out.capacity());
        int begin = room.position();
        while (in.hasRemaining()) {
            SSLEngineResult result = engine().wrap(in, room);
            boolean moved = result.bytesConsumed() > 0 || result.bytesProduced() > 0;
            if (result.getStatus() != SSLEngineResult.Status.OK || !moved) {
                break;
            }
        }
        out.writerIndex(room.position() - begin);
        return in.position() - start;
    }

    private ByteBuf rest(ByteBuf out, int written) {
        int length = out.readableBytes() - written;
        return channel.alloc().directBuffer(length).writeBytes(out, written, length);
    }

    private ChannelHandlerContext below() {
        return java.util.Objects.requireNonNull(self);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        self = ctx;
        super.handlerAdded(ctx);
    }

    // ---- reading ----

    /**
     * Reads take buffers of the size that the loop likes, and the beginning of a record must not hold such a one for as long
     * as its client pleases. So what is not whole is copied.
     */
    private static ByteBuf cumulate(ByteBufAllocator buffers, ByteBuf soFar, ByteBuf next) {
        if (!soFar.isReadable() && endsWithRecord(next)) {
            soFar.release();
            return next;
        }
        try {
            ByteBuf both = buffers.directBuffer(soFar.readableBytes() + next.readableBytes());
            both.writeBytes(soFar).writeBytes(next);
            soFar.release();
            return both;
        } finally {
            next.release();
        }
    }

    private static boolean endsWithRecord(ByteBuf bytes) {
        int at = bytes.readerIndex();
        while (at + RECORD_HEADER_BYTES <= bytes.writerIndex()) {
            at += RECORD_HEADER_BYTES + bytes.getUnsignedShort(at + RECORD_HEADER_BYTES - 2);
        }
        return at == bytes.writerIndex();
    }
}
