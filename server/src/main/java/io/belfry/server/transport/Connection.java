package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.session.AddressShare;
import io.belfry.server.session.Outbound;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetAddress;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection: its only handler, and what its session writes to. Owner: the loop.
 *
 * <p>Writing has a fast path that is most of what the server does: while nothing is pending the bytes go to the socket in
 * one system call, straight from the buffer they were encoded in. Only what the kernel does not take goes through Netty's
 * outbound buffer, and while any of that is there the connection is not ready.
 */
final class Connection extends ChannelInboundHandlerAdapter implements Outbound {
    /** Whoever is connected is on this machine: the client, or the proxy that it comes through. */
    static final int LOOPBACK = 1;

    /** The client encrypts. */
    static final int SECURE = 2;

    /** Whoever is connected is a proxy that is trusted to say who its client is. */
    static final int PROXIED = 4;

    private static final int ENDING = 8;
    private static final int GONE = 16;
    private static final int HANDLING = 32;
    private static final int WATCHED = 64;
    private static final int PHASE_CHANGED = 128;
    private static final int HOLDING = 256;
    private static final int KNOWN = 512;
    private static final int CLIENT_ON_LOOPBACK = 1024;
    private static final int CALLED_LOOPBACK = 2048;

    private final LoopContext context;
    private final Channel channel;
    private final @Nullable FileDescriptor socket;
    private Admission.Origin origin;
    private @Nullable TlsHandler tls;
    private @Nullable Phase phase;
    private @Nullable Session session;
    private @Nullable ByteBuf staged;
    private @Nullable ByteBuf held;
    private LoopContext.@Nullable Deadline deadline;
    private int queuedBytes;
    private int incompleteBytes;
    private byte pauses;
    private short flags;
    private byte silentLooks;

    /** In kilobytes, each begun one counted, since the end began. */
    private short readAway;

    /** {@code traits} are of {@link #LOOPBACK}, {@link #SECURE} and {@link #PROXIED}. */
    Connection(LoopContext context, Channel channel, Admission.Origin origin, int traits) {
        this.context = context;
        this.channel = channel;
        this.socket = channel instanceof EpollSocketChannel epoll ? epoll.fd() : null;
        this.origin = origin;
        flags = (short) traits;
    }

    LoopContext context() {
        return context;
    }

    // ---- reading ----

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline = context.expectHandshake(this);
        if ((flags & PROXIED) != 0 && context.proxies().protocol()) {
            phase = new ProxiedConnection(this);
        } else {
            begin();
        }
    }

    /** What comes now is the client's. */
    void begin() {
        become(new HttpConnection(this));
        if ((flags & SECURE) != 0) {
            tls = new TlsHandler(this, context, channel);
            channel.pipeline().addFirst(tls);
        }
    }

    /** Takes bytes as if they came from the socket now: what stood behind a proxy's header is for TLS. */
    void readAgain(ByteBuf bytes) {
        channel.pipeline().fireChannelRead(bytes);
    }

    /** Counts it as this client's from now on; answers why it may not stay, or null. */
    @Nullable
    Code comesFrom(@Nullable InetAddress client) {
        flags &= ~CLIENT_ON_LOOPBACK;
        if (client != null && client.isLoopbackAddress()) {
            flags |= CLIENT_ON_LOOPBACK;
        }
        if (origin.is(client)) {
            return null;
        }
        long now = context.nowNanos();
        origin = context.admission().move(origin, client, isKnown(), now);
        return context.admission().refusal(origin, now);
    }

    /** Whether its request called this machine by a name that nobody else's page can have, or is of a page we know. */
    void calledLoopback(boolean called) {
        flags &= ~CALLED_LOOPBACK;
        if (called) {
            flags |= CALLED_LOOPBACK;
        }
    }

    /** Whether each request says where it comes from. */
    boolean isForwarding() {
        return (flags & PROXIED) != 0 && !context.proxies().protocol();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && tls != null) {
            tls.onHandshake(handshake);
        } else if (event instanceof SslCloseCompletionEvent && !isOver()) {
            // As with the client's end of TCP: what cannot be heard any more is not answered either.
            channel.close();
        }
    }

    /** Whether the client's own end of the connection is encrypted. */
    boolean isSecure() {
        return (flags & SECURE) != 0;
    }

    /** From now on the bytes are this phase's; what the one before left unread too. */
    void become(Phase next) {
        phase = next;
        flags |= PHASE_CHANGED;
    }

    void session(@Nullable Session session) {
        this.session = session;
        settleDeadline();
    }

    @Nullable
    Session session() {
        return session;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        context.lane().counters().add(Counter.BYTES_IN, bytes.readableBytes());
        silentLooks = 0;
        if ((flags & ENDING) != 0) {
            readAway(bytes);
            return;
        }
        if (session != null) {
            context.lane().onHeard(session);
        }
        onBytes(held == null ? bytes : joined(bytes));
    }

    /** Not without an end: who goes on and on sending to us does not listen for our last words. */
    private void readAway(ByteBuf bytes) {
        readAway += (short) ((bytes.readableBytes() + 1023) >> 10);
        bytes.release();
        if (readAway > LoopContext.LINGER_KILOBYTES_MAX) {
            cut();
        }
    }

    private ByteBuf joined(ByteBuf bytes) {
        ByteBuf whole = java.util.Objects.requireNonNull(held);
        held = null;
        whole.writeBytes(bytes);
        bytes.release();
        return whole;
    }

    private void onBytes(ByteBuf bytes) {
        flags |= HANDLING;
        try {
            boolean changed = true;
            while (changed && phase != null && bytes.isReadable() && !isOver()) {
                flags &= ~PHASE_CHANGED;
                phase.onBytes(bytes);
                changed = (flags & PHASE_CHANGED) != 0;
            }
        } catch (RuntimeException failure) {
            context.lane().onFailure(failure);
            end(Code.INTERNAL, "a fault in the server");
        } finally {
            flags &= ~HANDLING;
            hold(bytes);
        }
        countIncomplete();
    }

    /** Memory of what has not come whole is bounded for all clients together: who asks for more beyond that goes. */
    private void countIncomplete() {
        int bytes = phase == null || isOver() ? 0 : phase.incompleteBytes();
        bytes += held == null ? 0 : held.readableBytes();
        if (bytes == incompleteBytes) {
            return;
        }
        int before = incompleteBytes;
        incompleteBytes = bytes;
        if (!context.holds(bytes, before)) {
            context.lane().counters().refused(Code.OVERLOADED);
            end(Code.OVERLOADED, "more than Limit.IncompleteBytes of all clients has not come whole");
        }
    }

    /** A handshake or an entitled request shows whose it is. */
    void onKnown() {
        if ((flags & KNOWN) == 0) {
            flags |= KNOWN;
            context.admission().onKnown(origin);
        }
    }

    boolean isKnown() {
        return (flags & KNOWN) != 0;
    }

    private void hold(ByteBuf bytes) {
        if (bytes.isReadable() && (flags & (ENDING | GONE)) == 0) {
            held = PooledByteBufAllocator.DEFAULT
                    .heapBuffer(bytes.readableBytes())
                    .writeBytes(bytes);
        }
        bytes.release();
    }

    /** Hands the phase what it left unread, now that it can go on. */
    void resume() {
        if (isOver()) {
            return;
        }
        if (held != null && (flags & HANDLING) == 0) {
            ByteBuf bytes = held;
            held = null;
            onBytes(bytes);
        }
    }

    @Override
    public void pauseReading() {
        if (pauses++ == 0) {
            channel.config().setAutoRead(false);
        }
    }

    @Override
    public void resumeReading() {
        if (--pauses == 0 && (flags & GONE) == 0) {
            channel.config().setAutoRead(true);
        }
    }

    @Override
    public void holdCommands() {
        flags |= HOLDING;
        pauseReading();
    }

    @Override
    public void releaseCommands() {
        flags &= ~HOLDING;
        resumeReading();
        resume();
    }

    /** Whether what the client commands is to wait. */
    boolean isHolding() {
        return (flags & HOLDING) != 0;
    }

    // ---- writing ----

    @Override
    public boolean write(ByteBuf bytes, int offset, int length) {
        if ((flags & GONE) != 0) {
            return true;
        }
        if (queuedBytes == 0 && socket != null && staged == null) {
            int written = writeNow(bytes, offset, length);
            if (written < 0 || (written == length && queuedBytes == 0)) {
                return true;
            }
            enqueue(bytes, offset + written, length - written);
        } else {
            enqueue(bytes, offset, length);
        }
        return takesMore();
    }

    /** Whether the socket has taken what it was given; where the kernel writes later, whether little is on its way. */
    private boolean takesMore() {
        return queuedBytes <= context.sockets().readyBytes();
    }

    private int writeNow(ByteBuf bytes, int offset, int length) {
        if (tls != null) {
            return tls.writeNow(bytes, offset, length);
        }
        int written = handOver(bytes, offset, length);
        context.lane().counters().add(Counter.BYTES_OUT, Math.max(0, written));
        return written;
    }

    /** Answers how many bytes the socket took, or -1 after an error that closes the connection. */
    int handOver(ByteBuf bytes, int offset, int length) {
        FileDescriptor descriptor = java.util.Objects.requireNonNull(socket);
        if (!descriptor.isOpen()) {
            // channelInactive is still to come, and the number of the descriptor may be another client's by now.
            return -1;
        }
        try {
            int written = descriptor.writeAddress(bytes.memoryAddress(), offset, offset + length);
            context.lane().counters().increment(Counter.WRITES_OUT);
            return Math.max(0, written);
        } catch (IOException broken) {
            channel.close();
            return -1;
        }
    }

    private void enqueue(ByteBuf bytes, int offset, int length) {
        if (length == 0) {
            return;
        }
        enqueue(channel.alloc().directBuffer(length).writeBytes(bytes, offset, length));
    }

    private void enqueue(ByteBuf bytes) {
        int length = bytes.readableBytes();
        queuedBytes += length;
        context.lane().counters().add(Counter.QUEUED_BYTES, length);
        channel.writeAndFlush(bytes).addListener((ChannelFutureListener) future -> onWritten(future, length, length));
    }

    /** {@code counted} of its bytes count as handed over only now. */
    private void onWritten(ChannelFuture future, int length, int counted) {
        queuedBytes -= length;
        context.lane().counters().add(Counter.QUEUED_BYTES, -length);
        context.lane().counters().increment(Counter.WRITES_OUT);
        if (!future.isSuccess()) {
            channel.close();
            return;
        }
        context.lane().counters().add(Counter.BYTES_OUT, counted);
        if (!takesMore()) {
            return;
        }
        if (session != null) {
            context.lane().onReady(session);
        }
        if (phase != null) {
            phase.onWritable();
        }
    }

    /** What the socket did not take of bytes that are encrypted already and go out before any others. */
    void enqueueEncrypted(ChannelHandlerContext below, ByteBuf bytes) {
        int length = bytes.readableBytes();
        queuedBytes += length;
        context.lane().counters().add(Counter.QUEUED_BYTES, length);
        below.writeAndFlush(bytes).addListener((ChannelFutureListener) future -> onWritten(future, length, 0));
    }

    @Override
    public void stage(ByteBuf bytes, int offset, int length) {
        if ((flags & GONE) != 0) {
            return;
        }
        if (staged == null) {
            int initial = context.lane().config().messages().sendBufferInitial();
            staged = channel.alloc().directBuffer(Math.max(initial, length));
        }
        staged.writeBytes(bytes, offset, length);
    }

    @Override
    public boolean flushStaged() {
        ByteBuf bytes = staged;
        if (bytes == null) {
            return takesMore();
        }
        staged = null;
        if (queuedBytes == 0 && socket != null) {
            int length = bytes.readableBytes();
            int written = writeNow(bytes, 0, length);
            if (written < 0 || written == length) {
                bytes.release();
                return written < 0 || takesMore();
            }
            bytes = rest(bytes.skipBytes(written));
        }
        enqueue(bytes);
        return takesMore();
    }

    /** What a socket does not take may stay for as long as its client stalls: in no more room than it needs. */
    private ByteBuf rest(ByteBuf bytes) {
        if (bytes.readableBytes() > bytes.capacity() / 2) {
            return bytes;
        }
        ByteBuf rest = channel.alloc().directBuffer(bytes.readableBytes()).writeBytes(bytes);
        bytes.release();
        return rest;
    }

    /** A buffer to write an answer into; the caller releases it. */
    ByteBuf newBuffer() {
        return channel.alloc().directBuffer();
    }

    boolean isOver() {
        return (flags & (ENDING | GONE)) != 0;
    }

    /** Sends bytes that belong to no session. */
    void send(ByteBuf bytes) {
        stage(bytes, bytes.readerIndex(), bytes.readableBytes());
        flushStaged();
    }

    @Override
    public int queuedBytes() {
        return queuedBytes - takenOfNext() + (staged == null ? 0 : staged.readableBytes());
    }

    /** Of the buffer that Netty is writing the socket may have taken a part; encrypted, it is longer than what it holds. */
    private int takenOfNext() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return queuedBytes == 0 || pending == null ? 0 : (int) Math.min(queuedBytes, pending.currentProgress());
    }

    @Override
    public boolean ping() {
        return phase != null && phase.ping();
    }

    @Override
    public Replies replies() {
        return java.util.Objects.requireNonNull(phase).replies();
    }

    @Override
    public boolean isLoopback() {
        // Through a proxy on this machine anybody may come: then its client must be, by what it says, too.
        return (flags & (LOOPBACK | CALLED_LOOPBACK)) == (LOOPBACK | CALLED_LOOPBACK)
                && (flags & (PROXIED | CLIENT_ON_LOOPBACK)) != PROXIED;
    }

    @Override
    public @Nullable String certificateSubject() {
        return tls == null ? null : tls.clientSubject();
    }

    @Override
    public AddressShare address() {
        return origin.isNobodys() ? AddressShare.UNBOUNDED : origin;
    }

    // ---- the end ----

    @Override
    public void close(Code code, String reason) {
        end(code, reason);
    }

    /** Says goodbye as the protocol has it, lets the client read that, and closes. */
    void end(Code code, String reason) {
        if ((flags & (ENDING | GONE)) != 0) {
            return;
        }
        if (phase != null) {
            ByteBuf goodbye = channel.alloc().directBuffer();
            phase.writeEnd(goodbye, code, reason);
            stage(goodbye, 0, goodbye.readableBytes());
            goodbye.release();
        }
        endAfterStaged();
        Session present = session;
        if (present != null) {
            context.lane().onGone(present, code);
        }
    }

    /** What is staged goes out, then the sending half closes; the client's rest is read away for a while, lest a reset
     * overtakes our last words. */
    void endAfterStaged() {
        flags |= ENDING;
        flushStaged();
        if (queuedBytes == 0) {
            shutdownOutput();
        } else {
            channel.write(io.netty.buffer.Unpooled.EMPTY_BUFFER)
                    .addListener((ChannelFutureListener) future -> shutdownOutput());
            channel.flush();
        }
        settleDeadline();
        deadline = context.expectEnd(this);
        channel.config().setAutoRead(true);
    }

    private void shutdownOutput() {
        if (tls != null && channel.isActive()) {
            tls.closeOutbound().addListener((ChannelFutureListener) said -> shutdownSocket());
        } else {
            shutdownSocket();
        }
    }

    private void shutdownSocket() {
        if (channel instanceof DuplexChannel duplex && channel.isActive()) {
            duplex.shutdownOutput();
        } else {
            channel.close();
        }
    }

    /** Closes at once; after an orderly end of the protocol on both sides. */
    void closeAfterStaged() {
        flags |= ENDING;
        flushStaged();
        if (queuedBytes == 0) {
            channel.close();
        } else {
            channel.writeAndFlush(io.netty.buffer.Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void settleDeadline() {
        if (deadline != null) {
            deadline.settle();
            deadline = null;
        }
    }

    /** Without a farewell, not even that of TLS, which would wait for a client that takes nothing. */
    void cut() {
        channel.unsafe().close(channel.voidPromise());
    }

    /** Ends what has not begun: over a limit, or with no word that could be understood. */
    void refuse(Code code, String reason) {
        context.lane().counters().refused(code);
        context.lane().counters().closed(code);
        if (tls != null || phase instanceof ProxiedConnection) {
            cut();
        } else {
            end(code, reason);
        }
    }

    void onHandshakeDeadline() {
        if (phase != null && phase.awaitsHandshake() && (flags & (ENDING | GONE)) == 0) {
            context.lane().counters().closed(Code.HANDSHAKE_TIMEOUT);
            if (tls != null && !tls.isReady()) {
                cut();
                return;
            }
            end(Code.HANDSHAKE_TIMEOUT, "no whole request within Limit.HandshakeTime");
        }
    }

    /** The client has an answer and may ask more. Where it has no session, its silence shows here only. */
    void watch() {
        if (session == null && (flags & (WATCHED | ENDING | GONE)) == 0) {
            flags |= WATCHED;
            settleDeadline();
            deadline = context.expectLook(this);
        }
    }

    /** One deadline after the other for as long as the connection lives, so that a request sets none. */
    void onLook() {
        if (phase == null || (flags & (ENDING | GONE)) != 0) {
            return;
        }
        boolean silent = phase.ping();
        silentLooks = silent ? (byte) (silentLooks + 1) : 0;
        if (LoopContext.isTooSilent(silentLooks)) {
            context.lane().counters().closed(Code.PING_TIMEOUT);
            end(Code.PING_TIMEOUT, "no further request, or nothing taken of an answer");
        } else {
            deadline = context.expectLook(this);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if ((flags & GONE) != 0) {
            return;
        }
        flags |= GONE;
        settleDeadline();
        context.lane().counters().increment(Counter.CONNECTIONS_CLOSED);
        context.admission().leave(origin, isKnown(), context.nowNanos());
        if (session != null) {
            context.lane().onGone(session, Code.CONNECTION_LOST);
        }
        if (phase != null) {
            phase.onGone();
        }
        if (staged != null) {
            staged.release();
            staged = null;
        }
        if (held != null) {
            held.release();
            held = null;
        }
        countIncomplete();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        boolean clients = cause instanceof IOException || (tls != null && cause.getCause() instanceof SSLException);
        if (!clients) {
            context.lane().onFailure(cause);
        }
        channel.close();
    }
}
