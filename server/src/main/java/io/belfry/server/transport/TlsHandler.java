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
 * The TLS handler of one connection, before it in the pipeline. Bounds the cost of a client before its handshake is
 * complete, and stores unread bytes in buffers no larger than needed. Owner: the loop.
 */
final class TlsHandler extends SslHandler {
    private static final int RECORD_HEADER_BYTES = 5;
    private static final int HANDSHAKE_HEADER_BYTES = 4;
    private static final int HANDSHAKE_RECORD = 22;

    /**
     * Allowance for the start of the request, which may follow the client's last handshake message in the same read.
     */
    private static final int BEHIND_HANDSHAKE_BYTES = 64 * 1024;

    /** Time that an orderly close waits for the client to accept the TLS close message. */
    private static final long FAREWELL_MILLIS = 2000;

    private final ChannelSocket socket;
    private final Channel channel;
    private final LoopContext context;
    private final int handshakeBytesMax;
    private int handshakeBytes;
    private boolean ready;
    private @Nullable ChannelHandlerContext self;

    TlsHandler(ChannelSocket socket, LoopContext context, Channel channel) {
        this(socket, context, channel, context.tls());
    }

    private TlsHandler(ChannelSocket socket, LoopContext context, Channel channel, TlsContext tls) {
        super(tls.newEngine(channel.alloc()), tls.tasks());
        this.socket = socket;
        this.channel = channel;
        this.context = context;
        this.handshakeBytesMax = tls.handshakeBytes();
        // The connection enforces Limit.HandshakeTime, with a deadline that needs no timer.
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
            socket.cut();
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
     * Returns the length of the client hello as its header announces it. Returns 0 if the first read does not show
     * it, or is not a handshake: the engines have their own bounds and reject invalid input.
     */
    private static int helloBytes(ByteBuf bytes) {
        int start = bytes.readerIndex();
        boolean complete = bytes.readableBytes() >= RECORD_HEADER_BYTES + HANDSHAKE_HEADER_BYTES
                && bytes.getByte(start) == HANDSHAKE_RECORD;
        return complete ? bytes.getUnsignedMedium(start + RECORD_HEADER_BYTES + 1) + HANDSHAKE_HEADER_BYTES : 0;
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

    /** Returns whether the client closed the connection during the handshake, which is not a failed handshake. */
    private static boolean isGone(SslHandshakeCompletionEvent outcome) {
        return outcome.cause() instanceof java.nio.channels.ClosedChannelException;
    }

    /** Returns the subject of the client's certificate; null if the client sent none. */
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
     * Encrypts for {@link ChannelSocket#writeNow}, directly from the bytes that all sessions share, and writes the
     * result to the socket without Netty's queue. Returns the number of bytes encrypted; encrypted bytes that the
     * socket does not accept are queued in the writer.
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
                int written = socket.handOver(out, 0, out.readableBytes());
                if (written < 0) {
                    return -1;
                }
                taken += encrypted;
                if (written < out.readableBytes()) {
                    socket.enqueueEncrypted(below(), rest(out, written));
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

    /** Returns whether Netty is writing messages of the engine itself, which must not be overtaken. */
    private boolean isNettyWriting() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return pending == null || pending.totalPendingWriteBytes() > 0;
    }

    /**
     * Returns the number of bytes encrypted from {@code in}; less than all if {@code out} has no room for another
     * record.
     */
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
     * Copies an incomplete record. Reads use buffers of a large fixed size, and a slow client must not hold such a
     * buffer for the beginning of a record.
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
