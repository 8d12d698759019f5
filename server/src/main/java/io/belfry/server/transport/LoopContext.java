package io.belfry.server.transport;

import io.belfry.protocol.BinaryCommands;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.JsonCommands;
import io.belfry.server.codec.HttpRequestParser;
import io.belfry.server.codec.HttpResponses;
import io.belfry.server.codec.OriginPolicy;
import io.belfry.server.codec.WebSocketHandshake;
import io.belfry.server.config.LimitConfig;
import io.belfry.server.config.MessageConfig;
import io.belfry.server.config.ProxyConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.session.RateBucket;
import io.belfry.server.tls.TlsContext;
import io.belfry.server.turn.Clock;
import io.belfry.server.workgroup.Lane;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Objects shared by all connections of one loop, so that a connection stores only its own state. Owner: the loop;
 * none of these objects is thread-safe.
 */
final class LoopContext {
    private static final int SCRATCH_BYTES = 4096;

    /** Room for four of the largest TLS records; the JDK's engine requires room for a whole record for any output. */
    private static final int ENCRYPTED_BYTES = 4 * (17 << 10);

    private final Lane lane;
    private final EventLoop eventLoop;
    private final NativeTransport sockets;
    private final Clock clock;
    private final Admission admission;
    private final HttpRequestParser requests;
    private final HttpResponses responses;
    private final WebSocketHandshake handshakes;
    private final FrameTerms frames;
    private OriginPolicy origins;
    private LimitConfig limits;
    private long incompleteBytes;
    private long answerBytes;
    private ProxyConfig proxies;
    private @Nullable RateBucket connectRate;
    private @Nullable RateBucket handshakeRate;
    private final CommandDecoder json = new JsonCommands();
    private final CommandDecoder binary = new BinaryCommands();
    private final StaticFiles files;
    private final ServerHealth health;
    private final ByteBuf scratch = Unpooled.directBuffer(SCRATCH_BYTES);
    private final TcpLiveness liveness = new TcpLiveness();
    private final SharedReceiveBuffers receiveBuffers = new SharedReceiveBuffers();
    private final @Nullable PersistentEpollHandler epoll;
    private final EventSlices events;
    private @Nullable ByteBuf received;
    private final Deadlines deadlines;
    private int refusedLingering;
    private @Nullable TlsContext tls;
    private @Nullable ByteBuf encrypted;

    /** {@code subprotocols} are the names of the WebSocket subprotocols; the first is that of clients that name none. */
    LoopContext(
            Lane lane,
            EventLoop eventLoop,
            NativeTransport sockets,
            Admission admission,
            List<String> subprotocols,
            ServerHealth health,
            Clock clock) {
        this.lane = lane;
        this.eventLoop = eventLoop;
        this.sockets = sockets;
        this.clock = clock;
        this.admission = admission;
        this.health = health;
        epoll = LaneEventLoop.epollOf(eventLoop);
        events = new EventSlices(eventLoop, clock, lane.counters());
        if (epoll != null) {
            epoll.beforeEachPoll(events::onPoll);
        }
        deadlines = new Deadlines(lane, clock);
        limits = lane.config().limits();
        requests = new HttpRequestParser(limits.ofConnections().handshakeBytes(), HttpRequestParser.FIELDS_MAX);
        responses = new HttpResponses(clock::millis);
        frames = new FrameTerms(lane.config().messages());
        handshakes =
                new WebSocketHandshake(lane.config().messages().compression().enabled(), subprotocols);
        origins = origins(lane.config());
        proxies = lane.config().network().proxies();
        files = new StaticFiles(lane.config().process().trial().documentRoot());
    }

    /** Returns the policy of the configuration; pages of the console may connect too. */
    private static OriginPolicy origins(io.belfry.server.config.ServerConfig config) {
        return OriginPolicy.of(config.network().listen().allowedOrigins())
                .withOwnPort(config.monitor().consolePort());
    }

    void reconfigure(io.belfry.server.config.ServerConfig next) {
        origins = origins(next);
        proxies = new ProxyConfig(proxies.protocol(), next.network().proxies().trusted());
        limits = next.limits();
    }

    /** Returns which proxies are trusted to report client addresses. */
    ProxyConfig proxies() {
        return proxies;
    }

    /** Sets the TLS context for new connections; the caller has retained it for this object. */
    void tls(TlsContext next) {
        if (tls != null) {
            tls.release();
        }
        tls = next;
    }

    /** Releases the buffers and the TLS context. Called once, after the loop has ended. */
    void release() {
        scratch.release();
        if (received != null) {
            received.release();
            received = null;
        }
        if (encrypted != null) {
            encrypted.release();
            encrypted = null;
        }
        if (tls != null) {
            tls.release();
            tls = null;
        }
    }

    TlsContext tls() {
        return java.util.Objects.requireNonNull(tls);
    }

    LimitConfig limits() {
        return limits;
    }

    long nowNanos() {
        return clock.nanos();
    }

    /** Returns a rate for a session that may compress its messages; null if Limit.InflateRate is off. */
    @Nullable
    InflateRate newInflateRate() {
        MessageConfig messages = lane.config().messages();
        long bytesPerSecond = messages.compression().inflateRate();
        return bytesPerSecond == 0
                ? null
                : new InflateRate(Math.max(bytesPerSecond, messages.maxMessageSize()), nowNanos());
    }

    /** Runs the task on this loop after the delay. */
    @SuppressWarnings("FutureReturnValueIgnored") // Its exceptions end in the loop's log.
    void schedule(Runnable task, long delayNanos) {
        eventLoop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Changes the bytes of incomplete input of one connection from {@code before} to {@code bytes}. Returns true if
     * the total is within Limit.IncompleteBytes, the connection did not grow, or no other connection holds any.
     */
    boolean holds(int bytes, int before) {
        incompleteBytes += bytes - before;
        lane.counters().add(Counter.INCOMPLETE_BYTES, bytes - before);
        return bytes <= before || incompleteBytes == bytes || incompleteBytes <= incompleteBytesMax();
    }

    /** Changes the bytes held by one answer from {@code before} to {@code bytes}. */
    void holdsAnswer(int bytes, int before) {
        answerBytes += bytes - before;
        lane.counters().add(Counter.ANSWER_BYTES, bytes - before);
    }

    /**
     * Returns whether Limit.AnswerBytes permits an answer of {@code own} bytes to grow, or no other answer holds
     * bytes.
     */
    boolean hasRoomForAnswer(int own) {
        return answerBytes == own
                || answerBytes
                        <= limits.load().answerBytes()
                                / lane.config().workgroups().ioThreads();
    }

    private long incompleteBytesMax() {
        return limits.ofConnections().incompleteBytes()
                / lane.config().workgroups().ioThreads();
    }

    /** Sets the connections accepted per second by all listeners of this loop together; 0 is no limit. */
    void connectRate(int perSecond) {
        connectRate = bucket(connectRate, perSecond);
    }

    /** Sets the TLS handshakes begun per second on connections accepted here; 0 is no limit. */
    void handshakeRate(int perSecond) {
        handshakeRate = bucket(handshakeRate, perSecond);
    }

    /** Returns the present bucket if the rate is unchanged, so that a reload does not grant a second burst. */
    private @Nullable RateBucket bucket(@Nullable RateBucket present, int perSecond) {
        if (perSecond == 0) {
            return null;
        }
        return present != null && present.perSecond() == perSecond ? present : new RateBucket(perSecond, clock.nanos());
    }

    /** Takes one connection from the rate; returns false if none is left. */
    boolean takeConnect() {
        return connectRate == null || connectRate.take(clock.nanos());
    }

    boolean takeHandshake() {
        return handshakeRate == null || handshakeRate.take(clock.nanos());
    }

    Lane lane() {
        return lane;
    }

    EventLoop eventLoop() {
        return eventLoop;
    }

    NativeTransport sockets() {
        return sockets;
    }

    Admission admission() {
        return admission;
    }

    HttpRequestParser requests() {
        return requests;
    }

    HttpResponses responses() {
        return responses;
    }

    WebSocketHandshake handshakes() {
        return handshakes;
    }

    FrameTerms frames() {
        return frames;
    }

    OriginPolicy origins() {
        return origins;
    }

    CommandDecoder json() {
        return json;
    }

    CommandDecoder binary() {
        return binary;
    }

    StaticFiles files() {
        return files;
    }

    ServerHealth health() {
        return health;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    TcpLiveness liveness() {
        return liveness;
    }

    SharedReceiveBuffers receiveBuffers() {
        return receiveBuffers;
    }

    /** Returns the handler with which sockets without a channel are registered. */
    PersistentEpollHandler epoll() {
        return java.util.Objects.requireNonNull(epoll, "the loop does not use epoll");
    }

    /** Returns what bounds the time for events of such sockets. */
    EventSlices events() {
        return events;
    }

    /**
     * Returns an empty buffer for one read of such a socket, followed by {@link #reuseReceived}. One buffer for all sockets of
     * the loop, because taking one from the allocator for each read costs more than the rest of a read in this process.
     */
    ByteBuf received() {
        ByteBuf buffer = received;
        if (buffer == null) {
            buffer = Unpooled.directBuffer(SharedReceiveBuffers.READ_BYTES, SharedReceiveBuffers.READ_BYTES);
            received = buffer;
        }
        return buffer.clear();
    }

    /** Keeps the buffer of the last read for the next one, unless its receiver has kept it. */
    void reuseReceived() {
        ByteBuf buffer = java.util.Objects.requireNonNull(received);
        if (buffer.refCnt() > 1) {
            buffer.release();
            received = null;
        }
    }

    /** Returns an empty buffer; its content must be sent before the buffer is used again. */
    ByteBuf scratch() {
        return scratch.clear();
    }

    /**
     * Returns an empty buffer for several complete TLS records; its content must be sent before the buffer is used
     * again.
     */
    ByteBuf encrypted() {
        ByteBuf buffer = encrypted;
        if (buffer == null) {
            buffer = Unpooled.directBuffer(ENCRYPTED_BYTES, ENCRYPTED_BYTES);
            encrypted = buffer;
        }
        return buffer.clear();
    }

    /**
     * Reserves a place to wait for the client's end of a refused connection, released by {@link #endLingering};
     * returns false if none is left, so that a flood of refused connections cannot use up the file descriptors.
     */
    boolean beginLingering() {
        if (refusedLingering >= limits.held().refusedWaiting()) {
            lane.counters().increment(Counter.REFUSED_AT_ONCE);
            return false;
        }
        refusedLingering++;
        return true;
    }

    void endLingering() {
        refusedLingering--;
    }
}
