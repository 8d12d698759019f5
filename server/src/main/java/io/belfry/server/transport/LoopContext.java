package io.belfry.server.transport;

import io.belfry.protocol.BinaryCommands;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.JsonCommands;
import io.belfry.server.codec.HttpRequestParser;
import io.belfry.server.codec.HttpResponses;
import io.belfry.server.codec.OriginPolicy;
import io.belfry.server.codec.WebSocketHandshake;
import io.belfry.server.config.LimitConfig;
import io.belfry.server.config.ProxyConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.session.RateBucket;
import io.belfry.server.tls.TlsContext;
import io.belfry.server.workgroup.Clock;
import io.belfry.server.workgroup.Lane;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What all connections of one loop share, so that a connection holds no more than what is its own. Owner: the loop. None of
 * these is safe for a second thread.
 */
final class LoopContext {
    /** How long a client has to read why it was told to end, and what it may send meanwhile. */
    static final int LINGER_MILLIS = 2000;

    static final int LINGER_KILOBYTES_MAX = 16 << 10;

    private static final int LOOKS_PER_PING = 4;

    private static final int SCRATCH_BYTES = 4096;

    /** Four of the largest records; the JDK's engine wants room for one to write any. */
    private static final int ENCRYPTED_BYTES = 4 * (17 << 10);

    /** A moment by which a connection must have done something. It lets go of a connection that did, or is gone. */
    static final class Deadline {
        private final long atNanos;
        private @Nullable Connection connection;

        private Deadline(Connection connection, long atNanos) {
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
    private final ServerHealth health;
    private final ByteBuf scratch = Unpooled.directBuffer(SCRATCH_BYTES);
    private final SharedReceiveBuffers receiveBuffers = new SharedReceiveBuffers();
    private final Deque<Deadline> handshaking = new ArrayDeque<>();
    private final Deque<Deadline> lingering = new ArrayDeque<>();
    private final Deque<Deadline> watched = new ArrayDeque<>();
    private int refusedLingering;
    private @Nullable TlsContext tls;
    private @Nullable ByteBuf encrypted;

    LoopContext(
            Lane lane,
            EventLoop eventLoop,
            NativeTransport sockets,
            Admission admission,
            ServerHealth health,
            Clock clock) {
        this.lane = lane;
        this.eventLoop = eventLoop;
        this.sockets = sockets;
        this.clock = clock;
        this.admission = admission;
        this.health = health;
        limits = lane.config().limits();
        requests = new HttpRequestParser(limits.handshakeBytes(), HttpRequestParser.FIELDS_MAX);
        responses = new HttpResponses(clock::millis);
        frames = new FrameTerms(lane.config().messages());
        handshakes =
                new WebSocketHandshake(lane.config().messages().compression().enabled());
        origins = originsOf(lane.config().listen().allowedOrigins());
        proxies = lane.config().proxies();
        files = new StaticFiles(lane.config().trial().documentRoot());
    }

    private static OriginPolicy originsOf(java.util.List<String> allowed) {
        if (allowed.isEmpty()) {
            return OriginPolicy.sameOrigin();
        }
        return allowed.contains("*") ? OriginPolicy.any() : OriginPolicy.exactly(allowed);
    }

    void reconfigure(io.belfry.server.config.ServerConfig next) {
        origins = originsOf(next.listen().allowedOrigins());
        proxies = new ProxyConfig(proxies.protocol(), next.proxies().trusted());
        limits = next.limits();
    }

    /** Whose word is taken for where a client comes from. */
    ProxyConfig proxies() {
        return proxies;
    }

    /** What new connections are encrypted with from now on; the caller has retained it for this. */
    void tls(TlsContext next) {
        if (tls != null) {
            tls.release();
        }
        tls = next;
    }

    /** The loop has ended. */
    void release() {
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

    /**
     * A connection holds so many bytes of what is not whole, and held so many before. Answers whether that is within
     * Limit.IncompleteBytes, or it is less than before, or nobody else holds any.
     */
    boolean holds(int bytes, int before) {
        incompleteBytes += bytes - before;
        lane.counters().add(Counter.INCOMPLETE_BYTES, bytes - before);
        return bytes <= before || incompleteBytes == bytes || incompleteBytes <= incompleteBytesMax();
    }

    /** An answer with history holds so many bytes, and held so many before. */
    void holdsAnswer(int bytes, int before) {
        answerBytes += bytes - before;
        lane.counters().add(Counter.ANSWER_BYTES, bytes - before);
    }

    /** Whether Limit.AnswerBytes leaves room for more of an answer that holds so many bytes, or others hold none. */
    boolean hasRoomForAnswer(int own) {
        return answerBytes == own
                || answerBytes
                        <= limits.load().answerBytes()
                                / lane.config().workgroups().ioThreads();
    }

    private long incompleteBytesMax() {
        return limits.incompleteBytes() / lane.config().workgroups().ioThreads();
    }

    /** So many connections a second are accepted here, by all listeners of the loop together; 0 is no limit. */
    void connectRate(int perSecond) {
        connectRate = bucket(connectRate, perSecond);
    }

    /** So many TLS handshakes a second begin with what is accepted here; 0 is no limit. */
    void handshakeRate(int perSecond) {
        handshakeRate = bucket(handshakeRate, perSecond);
    }

    /** A reload that leaves a rate as it is grants no second burst. */
    private @Nullable RateBucket bucket(@Nullable RateBucket present, int perSecond) {
        if (perSecond == 0) {
            return null;
        }
        return present != null && present.perSecond() == perSecond ? present : new RateBucket(perSecond, clock.nanos());
    }

    /** Answers whether one more connection is within the rate. */
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

    SharedReceiveBuffers receiveBuffers() {
        return receiveBuffers;
    }

    /** An empty buffer to write into and send before anything else happens. */
    ByteBuf scratch() {
        return scratch.clear();
    }

    /** An empty buffer with room for some whole records of TLS, to be written before anything else happens. */
    ByteBuf encrypted() {
        ByteBuf buffer = encrypted;
        if (buffer == null) {
            buffer = Unpooled.directBuffer(ENCRYPTED_BYTES, ENCRYPTED_BYTES);
            encrypted = buffer;
        }
        return buffer.clear();
    }

    /** The connection must have asked for something by then. */
    Deadline expectHandshake(Connection connection) {
        return expect(handshaking, connection, lane.config().limits().handshakeMillis());
    }

    /** The connection has been told to end; if its client does not end it too, it is cut. */
    Deadline expectEnd(Connection connection) {
        return expect(lingering, connection, LINGER_MILLIS);
    }

    /** The connection has no session whose silence the lane would see: it is looked at, a few times per ping interval. */
    Deadline expectLook(Connection connection) {
        return expect(watched, connection, lane.config().limits().pingMillis() / LOOKS_PER_PING);
    }

    /** So many looks in a row at which nothing had come are a silence of more than two ping intervals. */
    static boolean isTooSilent(int looks) {
        return looks > 2 * LOOKS_PER_PING;
    }

    private Deadline expect(Deque<Deadline> kind, Connection connection, long millis) {
        Deadline deadline = new Deadline(connection, clock.nanos() + millis * 1_000_000);
        kind.add(deadline);
        return deadline;
    }

    /**
     * Answers whether a refused connection may wait for its client's end; then {@link #endLingering} follows. A flood of them
     * must not take up the open files.
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

    /** Deadlines of a kind are all equally far away, so that the oldest is always the next. */
    void checkDeadlines() {
        long now = clock.nanos();
        for (Connection late = late(handshaking, now); late != null; late = late(handshaking, now)) {
            late.onHandshakeDeadline();
        }
        for (Connection late = late(lingering, now); late != null; late = late(lingering, now)) {
            late.cut();
        }
        for (Connection late = late(watched, now); late != null; late = late(watched, now)) {
            late.onLook();
        }
    }

    private static @Nullable Connection late(Deque<Deadline> kind, long now) {
        for (Deadline next = kind.peek(); next != null && next.atNanos - now < 0; next = kind.peek()) {
            kind.remove();
            if (next.connection != null) {
                return next.connection;
            }
        }
        return null;
    }
}
