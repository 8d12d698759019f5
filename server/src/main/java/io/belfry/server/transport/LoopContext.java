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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Objects shared by all connections of one loop, so that a connection stores only its own state. Owner: the loop;
 * none of these objects is thread-safe.
 */
final class LoopContext {
    /** Time a client has to read the close message; input is discarded meanwhile, up to LINGER_KILOBYTES_MAX. */
    static final int LINGER_MILLIS = 2000;

    static final int LINGER_KILOBYTES_MAX = 16 << 10;

    /** Time to wait for a reset; longer than the round trip to most clients. */
    private static final int RESET_MILLIS = 500;

    private static final int LOOKS_PER_PING = 4;

    private static final int SCRATCH_BYTES = 4096;

    /** Room for four of the largest TLS records; the JDK's engine requires room for a whole record for any output. */
    private static final int ENCRYPTED_BYTES = 4 * (17 << 10);

    /** A deadline of a connection. It drops its reference when the connection meets it or closes. */
    static final class Deadline {
        private final long atNanos;
        private @Nullable ConnectionLife connection;

        private Deadline(ConnectionLife connection, long atNanos) {
            this.connection = connection;
            this.atNanos = atNanos;
        }

        void settle() {
            connection = null;
        }
    }

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
    private final ClientProtocols protocols;
    private final ServerHealth health;
    private final ByteBuf scratch = Unpooled.directBuffer(SCRATCH_BYTES);
    private final TcpLiveness liveness = new TcpLiveness();
    private final SharedReceiveBuffers receiveBuffers = new SharedReceiveBuffers();
    private final Deque<Deadline> handshaking = new ArrayDeque<>();
    private final Deque<Deadline> lingering = new ArrayDeque<>();
    private final Deque<Deadline> watched = new ArrayDeque<>();
    private final Deque<Deadline> halfClosed = new ArrayDeque<>();
    private int refusedLingering;
    private @Nullable TlsContext tls;
    private @Nullable ByteBuf encrypted;

    LoopContext(
            Lane lane,
            EventLoop eventLoop,
            NativeTransport sockets,
            Admission admission,
            ClientProtocols protocols,
            ServerHealth health,
            Clock clock) {
        this.lane = lane;
        this.eventLoop = eventLoop;
        this.sockets = sockets;
        this.clock = clock;
        this.admission = admission;
        this.protocols = protocols;
        this.health = health;
        limits = lane.config().limits();
        requests = new HttpRequestParser(limits.ofConnections().handshakeBytes(), HttpRequestParser.FIELDS_MAX);
        responses = new HttpResponses(clock::millis);
        frames = new FrameTerms(lane.config().messages());
        handshakes =
                new WebSocketHandshake(lane.config().messages().compression().enabled(), protocols.subprotocols());
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

    ClientProtocols protocols() {
        return protocols;
    }

    ServerHealth health() {
        return health;
    }

    TcpLiveness liveness() {
        return liveness;
    }

    SharedReceiveBuffers receiveBuffers() {
        return receiveBuffers;
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

    /** Sets the deadline for a complete request. */
    Deadline expectHandshake(ConnectionLife connection) {
        return expect(
                handshaking, connection, lane.config().limits().ofConnections().handshakeMillis());
    }

    /** Sets the deadline after which a closing connection is cut if its client has not closed. */
    Deadline expectEnd(ConnectionLife connection) {
        return expect(lingering, connection, LINGER_MILLIS);
    }

    /**
     * Sets the next silence check, a few per ping interval, of a connection without a session that its lane would
     * check.
     */
    Deadline expectLook(ConnectionLife connection) {
        return expect(watched, connection, lane.config().limits().pingMillis() / LOOKS_PER_PING);
    }

    /**
     * Sets the time of the second keep-alive; a client that closed both halves has answered the first with a reset by
     * then.
     */
    Deadline expectReset(ConnectionLife connection) {
        return expect(halfClosed, connection, RESET_MILLIS);
    }

    /** Returns whether this number of silent checks in a row is more than two ping intervals. */
    static boolean isTooSilent(int looks) {
        return looks > 2 * LOOKS_PER_PING;
    }

    private Deadline expect(Deque<Deadline> kind, ConnectionLife connection, long millis) {
        Deadline deadline = new Deadline(connection, clock.nanos() + millis * 1_000_000);
        kind.add(deadline);
        return deadline;
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

    /** Handles expired deadlines. All deadlines of a queue have the same duration, so the oldest expires first. */
    void checkDeadlines() {
        long now = clock.nanos();
        for (ConnectionLife late = late(handshaking, now); late != null; late = late(handshaking, now)) {
            late.onHandshakeDeadline();
        }
        for (ConnectionLife late = late(lingering, now); late != null; late = late(lingering, now)) {
            late.cut();
        }
        for (ConnectionLife late = late(watched, now); late != null; late = late(watched, now)) {
            late.onLook();
        }
        for (ConnectionLife late = late(halfClosed, now); late != null; late = late(halfClosed, now)) {
            late.onResetDeadline();
        }
    }

    private static @Nullable ConnectionLife late(Deque<Deadline> kind, long now) {
        for (Deadline next = kind.peek(); next != null && next.atNanos - now < 0; next = kind.peek()) {
            kind.remove();
            if (next.connection != null) {
                return next.connection;
            }
        }
        return null;
    }
}
