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
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetAddress;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one client: the last handler of its channel, and the outbound of its session. Owner: the loop.
 *
 * <p>Most of the server's work is the fast path of writing: while nothing is queued, one system call writes the bytes
 * directly from the buffer into which they were encoded. Only bytes that the kernel does not accept go through Netty's
 * outbound buffer, and while that buffer is not empty the connection is not ready.
 */
final class Connection extends ChannelInboundHandlerAdapter implements Outbound {
    /** Trait: the peer, which is the client or its proxy, is on this machine. */
    static final int LOOPBACK = 1;

    /** Trait: the client uses TLS. */
    static final int SECURE = 2;

    /** Trait: the peer is a trusted proxy, which reports the address of its client. */
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
    private static final int INPUT_ENDED = 4096;
    private static final int PROBED = 8192;

    /** Value on Linux, the only system with native sockets. */
    private static final int ETIMEDOUT_NEGATIVE = -110;

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

    /** Bytes discarded since the end began, in kilobytes, rounded up per read. */
    private short discardedKilobytes;

    /** {@code traits} is a combination of {@link #LOOPBACK}, {@link #SECURE} and {@link #PROXIED}. */
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

    /** Begins HTTP, with TLS if required; all following bytes are those of the client. */
    void begin() {
        become(new HttpConnection(this));
        if ((flags & SECURE) != 0) {
            tls = new TlsHandler(this, context, channel);
            channel.pipeline().addFirst(tls);
        }
    }

    /** Passes bytes through the pipeline as if just read, because the bytes after a proxy's header may be TLS. */
    void readAgain(ByteBuf bytes) {
        channel.pipeline().fireChannelRead(bytes);
    }

    /** Counts the connection under this client address from now on; returns why it is refused, or null. */
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

    /**
     * Sets whether the request named this machine as loopback, which pages of other sites cannot do, or has an
     * allowed origin.
     */
    void calledLoopback(boolean called) {
        flags &= ~CALLED_LOOPBACK;
        if (called) {
            flags |= CALLED_LOOPBACK;
        }
    }

    /** Returns whether each request reports its client in header fields. */
    boolean isForwarding() {
        return (flags & PROXIED) != 0 && !context.proxies().protocol();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && tls != null) {
            tls.onHandshake(handshake);
        } else if (event instanceof SslCloseCompletionEvent && !isOver()) {
            // TLS up to 1.2 has no half-close: an end in one direction ends both.
            channel.close();
        } else if (event == ChannelInputShutdownEvent.INSTANCE) {
            flags |= INPUT_ENDED;
            onInputEnd();
        }
    }

    /**
     * Handles the end of the client's half of the connection. A TLS connection is closed, because without a TLS close
     * the data may have been truncated by an attacker.
     */
    private void onInputEnd() {
        boolean ending = (flags & ENDING) != 0;
        if (phase == null || tls != null || (ending && queuedBytes == 0)) {
            cut();
        } else if (!ending && (flags & (HANDLING | GONE)) == 0) {
            phase.onInputEnd();
        }
    }

    /** Schedules a second keep-alive: a socket that was reset reports the reset only to the next write. */
    void expectReset() {
        settleDeadline();
        deadline = context.expectReset(this);
    }

    void onResetDeadline() {
        if (phase != null && session != null && !session.isClosed() && session.isReady() && !isOver()) {
            phase.ping();
        }
    }

    /** Returns whether the connection of the peer to this server uses TLS. */
    boolean isSecure() {
        return (flags & SECURE) != 0;
    }

    /**
     * Returns whether an https target is accepted: the connection uses TLS, or a trusted proxy may have terminated
     * TLS.
     */
    boolean servesHttps() {
        return (flags & (SECURE | PROXIED)) != 0;
    }

    /** Changes the phase; it gets all further bytes, including those that the previous phase left unread. */
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
            discard(bytes);
            return;
        }
        if (session != null) {
            context.lane().onHeard(session);
        }
        onBytes(held == null ? bytes : joined(bytes));
    }

    /** Discards bytes after close has begun, up to a bound, beyond which the connection is cut. */
    private void discard(ByteBuf bytes) {
        discardedKilobytes += (short) ((bytes.readableBytes() + 1023) >> 10);
        bytes.release();
        if (discardedKilobytes > LoopContext.LINGER_KILOBYTES_MAX) {
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
            end(Code.INTERNAL, "internal error of the server");
        } finally {
            flags &= ~HANDLING;
            hold(bytes);
        }
        countIncomplete();
    }

    /** Updates the bytes of incomplete input; closes the connection if the bound for all clients is exceeded. */
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
            end(Code.OVERLOADED, "incomplete input of all clients exceeds Limit.IncompleteBytes");
        }
    }

    /** Called when a handshake or an entitled request has identified the client. */
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

    /** Passes the bytes that the phase left unread to it again. */
    void resume() {
        if (isOver()) {
            return;
        }
        if (held != null && (flags & HANDLING) == 0) {
            ByteBuf bytes = held;
            held = null;
            onBytes(bytes);
        }
        if ((flags & INPUT_ENDED) != 0 && !isOver()) {
            onInputEnd();
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

    /** Returns whether commands of the client must wait. */
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

    /** Returns whether the socket accepts more; with delayed writes, a few bytes may be in flight. */
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

    /** Writes to the socket; returns the number of bytes accepted, or -1 after an error that closes the connection. */
    int handOver(ByteBuf bytes, int offset, int length) {
        FileDescriptor descriptor = java.util.Objects.requireNonNull(socket);
        if (!descriptor.isOpen()) {
            // channelInactive has not run yet, and another connection may already have the same descriptor number.
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

    /** Updates the counters; {@code counted} is the part of {@code length} not yet counted as sent. */
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

    /** Queues encrypted bytes that the socket did not accept; they are sent before any others. */
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

    /** Copies a mostly empty buffer into a smaller one, because unsent bytes stay in memory while the client stalls. */
    private ByteBuf rest(ByteBuf bytes) {
        if (bytes.readableBytes() > bytes.capacity() / 2) {
            return bytes;
        }
        ByteBuf rest = channel.alloc().directBuffer(bytes.readableBytes()).writeBytes(bytes);
        bytes.release();
        return rest;
    }

    /** Returns a new buffer for an answer; the caller releases it. */
    ByteBuf newBuffer() {
        return channel.alloc().directBuffer();
    }

    boolean isOver() {
        return (flags & (ENDING | GONE)) != 0;
    }

    /** Sends bytes that do not belong to a session. */
    void send(ByteBuf bytes) {
        stage(bytes, bytes.readerIndex(), bytes.readableBytes());
        flushStaged();
    }

    @Override
    public int queuedBytes() {
        return queuedBytes - takenOfNext() + (staged == null ? 0 : staged.readableBytes());
    }

    /**
     * Returns how much of the first buffer in Netty's queue the socket has accepted. With TLS this may exceed the
     * unencrypted size, hence the minimum.
     */
    private int takenOfNext() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return queuedBytes == 0 || pending == null ? 0 : (int) Math.min(queuedBytes, pending.currentProgress());
    }

    @Override
    public boolean ping() {
        return phase != null && phase.ping();
    }

    /** Returns whether the kernel reports the acknowledgements of the client's system. */
    boolean showsAcknowledgements() {
        return TcpLiveness.isKnown(channel);
    }

    @Override
    public int acknowledgedMillis(int silentMillis, int limitMillis) {
        return phase != null && phase.isHeardBySystem()
                ? context.liveness().acknowledgedMillis(channel, silentMillis, limitMillis)
                : silentMillis;
    }

    /** Enables TCP keep-alive, so that the kernel probes the client's system after a silent ping interval. */
    void probeWhileSilent() {
        if ((flags & PROBED) == 0) {
            flags |= PROBED;
            channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        }
    }

    @Override
    public Replies replies() {
        return java.util.Objects.requireNonNull(phase).replies();
    }

    @Override
    public boolean isLoopback() {
        // A proxy on this machine may serve remote clients, so the client address that it reports must be loopback too.
        return (flags & (LOOPBACK | CALLED_LOOPBACK)) == (LOOPBACK | CALLED_LOOPBACK)
                && (flags & (PROXIED | CLIENT_ON_LOOPBACK)) != PROXIED;
    }

    @Override
    public @Nullable String certificateSubject() {
        return tls == null ? null : tls.clientSubject();
    }

    @Override
    public AddressShare address() {
        return origin.isUnknown() ? AddressShare.UNBOUNDED : origin;
    }

    // ---- close ----

    @Override
    public void close(Code code, String reason) {
        end(code, reason);
    }

    /** Sends the protocol's close message with the reason, lets the client read it, and closes. */
    void end(Code code, String reason) {
        if ((flags & (ENDING | GONE)) != 0) {
            return;
        }
        if (phase != null) {
            ByteBuf end = channel.alloc().directBuffer();
            phase.writeEnd(end, code, reason);
            stage(end, 0, end.readableBytes());
            end.release();
        }
        endAfterStaged();
        Session present = session;
        if (present != null) {
            context.lane().onGone(present, code);
        }
    }

    /**
     * Sends the staged bytes and then closes the sending half. Input is discarded for a while, because closing with
     * unread input causes a TCP reset, which can overtake the last bytes sent.
     */
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
        if (channel instanceof DuplexChannel duplex && channel.isActive() && (flags & INPUT_ENDED) == 0) {
            duplex.shutdownOutput();
        } else {
            channel.close();
        }
    }

    /** Closes after the staged bytes are sent, without waiting; for an orderly end of the protocol on both sides. */
    void closeAfterStaged() {
        flags |= ENDING;
        flushStaged();
        if (queuedBytes == 0) {
            channel.close();
        } else {
            settleDeadline();
            deadline = context.expectEnd(this);
            channel.writeAndFlush(io.netty.buffer.Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void settleDeadline() {
        if (deadline != null) {
            deadline.settle();
            deadline = null;
        }
    }

    /** Closes at once without a close message, even that of TLS, which would wait for a client that reads nothing. */
    void cut() {
        channel.unsafe().close(channel.voidPromise());
    }

    /** Rejects a connection without a session: it is over a limit, or sent nothing valid. */
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
            end(Code.HANDSHAKE_TIMEOUT, "no complete request within Limit.HandshakeTime");
        }
    }

    /**
     * Begins to check for silence, after an answer was sent. A connection with a session is checked by its lane
     * instead.
     */
    void watch() {
        if (session == null && (flags & (WATCHED | ENDING | GONE)) == 0) {
            flags |= WATCHED;
            settleDeadline();
            deadline = context.expectLook(this);
        }
    }

    /** Checks for silence and sets the next deadline, so that a request need not set one. */
    void onLook() {
        if (phase == null || (flags & (ENDING | GONE)) != 0) {
            return;
        }
        boolean silent = phase.ping();
        silentLooks = silent ? (byte) (silentLooks + 1) : 0;
        if (LoopContext.isTooSilent(silentLooks)) {
            context.lane().counters().closed(Code.PING_TIMEOUT);
            end(Code.PING_TIMEOUT, "no further request was sent, or the answer was not read");
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
        if (!isOfClient(cause)) {
            context.lane().onFailure(cause);
        }
        if (isTimeout(cause)) {
            onSystemSilent();
        }
        channel.close();
    }

    /** Returns whether the cause is an end of this connection only. */
    private boolean isOfClient(Throwable cause) {
        return cause instanceof IOException || (tls != null && cause.getCause() instanceof SSLException);
    }

    /** Returns whether the kernel gave up because retransmissions or keep-alive probes were not answered. */
    private static boolean isTimeout(Throwable cause) {
        return cause instanceof Errors.NativeIoException failure
                ? failure.expectedErr() == ETIMEDOUT_NEGATIVE
                : cause instanceof IOException && "Connection timed out".equals(cause.getMessage());
    }

    private void onSystemSilent() {
        if (isOver()) {
            return;
        }
        if (session != null) {
            context.lane().onGone(session, Code.PING_TIMEOUT);
        } else {
            context.lane().counters().closed(Code.PING_TIMEOUT);
        }
    }
}
