package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.FrameDeflater;
import io.belfry.protocol.WireFormat;
import io.belfry.server.broker.Broker;
import io.belfry.server.config.CompressionConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Commands;
import io.belfry.server.session.Outbound;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.trace.TraceContext;
import io.belfry.server.trace.Tracer;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread and everything it owns. Owner: its loop; methods for other threads say so.
 *
 * <p>A <em>turn</em> is the work of the loop between two polls of its sockets. During a turn outgoing data is only
 * recorded; at its end each session gets one write and each other lane one batch.
 */
public final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    static final long TICK_MILLIS = 100;

    /** Ticks between two updates of the list of lagging sessions, which is for people: one second. */
    private static final int TICKS_PER_LIST = 10;

    private final int index;
    private final Loop loop;
    private final Clock clock;
    private final LoopCounters counters;
    private final ServerConfig config;
    private final NodeFacts facts;
    private final SessionTable sessions = new SessionTable();
    private final LaneSubjects subjects;
    private final LaneLimits shares;
    private final Broker broker;
    private final @Nullable Tracer tracer;
    private final @Nullable FrameDeflater deflater;
    private final FanOut fanOut;
    private final Edge edge;
    private final KeepAlive keepAlive;
    private final Home home;
    private final Commands commands;
    private final Handoff[] handoffs;
    private final Inbox inbox;
    private final HandoffReader reader;
    private final WireReplies[] replies;
    private final SubjectKey readKey;
    private final Runnable endTurn = this::endTurn;
    private final List<Session> paused = new ArrayList<>();
    private final Failures failures = new Failures(LOG);
    private final Drain drain;
    private Lane[] lanes = {this};
    private List<LaneLimits> allShares = List.of();

    /** Written by the loop, read by the lanes of publishing sessions. */
    private volatile boolean historyBehind;

    private boolean turnBegun;
    private long nowNanos;
    private long nowMillis;
    private long tickDueNanos;

    public Lane(int index, int lanes, Loop loop, LaneSetup setup) {
        this.index = index;
        this.loop = loop;
        this.clock = setup.clock();
        this.config = setup.config();
        facts = setup.facts();
        tracer = setup.tracer();
        counters = setup.counters().loop(index);
        subjects = new LaneSubjects(setup.seed(), index, lanes, this::broker);
        home = new Home(this, subjects, counters, setup.seed());
        edge = new Edge(this, subjects, sessions, counters, setup);
        keepAlive =
                new KeepAlive(this, edge, sessions, counters, config.limits().pings());
        shares = new LaneLimits(
                () -> subjects.table().size(),
                edge::patternCount,
                config.limits().load());
        Batching batching = Batching.of(loop, this::beginTurn, counters, config.messages());
        CompressionConfig compression = config.messages().compression();
        deflater = compression.enabled() ? new FrameDeflater(compression.bytesMin()) : null;
        fanOut = new FanOut(
                sessions, subjects.subscribers(), counters, clock, edge.slow(), this::beginTurn, batching, deflater);
        broker = broker(setup, lanes);
        commands = new Commands(edge, counters, config.limits(), config.messages(), new SubjectKey(setup.seed()));
        handoffs = new Handoff[lanes];
        java.util.Arrays.setAll(handoffs, i -> new Handoff());
        inbox = new Inbox(config.limits().backlog().inboxBytes(), this::wake);
        reader = new HandoffReader(new SubjectKey(setup.seed()), home, edge, tracer);
        replies = new WireReplies[WireFormat.values().length];
        java.util.Arrays.setAll(
                replies, i -> new WireReplies(WireFormat.values()[i], fanOut, setup.facts(), clock, index));
        readKey = new SubjectKey(setup.seed());
        drain = new Drain(this, sessions);
    }

    private Broker broker(LaneSetup setup, int lanes) {
        LaneHistory parts = new LaneHistory(setup, lanes);
        if (setup.backbone() != null) {
            TimeSlicedQueue ofKafka = new TimeSlicedQueue(this::later, this::nextTurn, setup.clock()::nanos);
            return parts.inCluster(setup.backbone(), index, ofKafka, subjects, counters, home);
        }
        return setup.storage() == null
                ? parts.inMemory(counters, home)
                : parts.onDisk(setup.storage(), index, this::run, subjects, counters, home);
    }

    /** Connects the lanes with each other and starts the periodic tick. Called before any session exists. */
    void start(Lane[] all) {
        lanes = all;
        allShares = Arrays.stream(all).map(Lane::shares).toList();
        tickDueNanos = clock.nanos() + TICK_MILLIS * 1_000_000;
        loop.every(TICK_MILLIS, this::tick);
    }

    // ---- calls of the transport ----

    public int index() {
        return index;
    }

    public LoopCounters counters() {
        return counters;
    }

    public ServerConfig config() {
        return config;
    }

    /** Returns the compressor of frames, or null with {@code Compression} off. */
    public @Nullable FrameDeflater deflater() {
        return deflater;
    }

    /** Applies the settings that can change at run time. Any thread. */
    public void reconfigure(ServerConfig next, Entitlement nextEntitlement) {
        run(() -> {
            shares.reconfigure(next.limits().load());
            edge.reconfigure(next, nextEntitlement);
            commands.reconfigure(next.limits());
        });
    }

    /** Returns access to the lane's sessions and subjects for the monitor. */
    public LaneInspector inspector() {
        return new LaneInspector(this, sessions, facts);
    }

    /** Returns what traces calls, or null if tracing is off. */
    public @Nullable Tracer tracer() {
        return tracer;
    }

    /** Sets the span of the publishes that follow; the caller sets null after its publish. */
    public void trace(@Nullable TraceContext context) {
        assert loop.inLoop();
        edge.trace(context);
    }

    /**
     * Asks the entitlement provider about a new client; the answer arrives on the loop, within this call or later.
     * Returns whether it has arrived.
     */
    public boolean admit(Entitlement.Credentials credentials, Consumer<Entitlement.Answer> answer) {
        beginTurn();
        return edge.rights().decisions().decide(credentials, answer);
    }

    /** Returns the name by which clients, logs and the monitor know the session. */
    public String nameOf(Session session) {
        return facts.sessionName(index(), session);
    }

    /** Opens a session. {@code format} is its shared wire format, or null if the outbound encodes its own replies. */
    public Session open(Outbound outbound, @Nullable WireFormat format, Principal principal) {
        assert loop.inLoop();
        beginTurn();
        Session session = new Session(
                outbound,
                principal,
                sessions.takeSlot(),
                sessions.nextGeneration(),
                format == null ? -1 : format.ordinal(),
                keepAlive.ticks());
        sessions.put(session);
        counters.increment(Counter.SESSIONS_OPENED);
        edge.rights().onPrincipal(session);
        if (format != null && format.binary()) {
            replies[format.ordinal()].epoch(session);
        }
        return session;
    }

    /** Returns the handler of this session's commands, valid until the next call for another session. */
    public Commands commands(Session session) {
        assert loop.inLoop();
        beginTurn();
        return commands.of(session);
    }

    public io.belfry.server.session.Routing routing() {
        beginTurn();
        return edge;
    }

    public void onHeard(Session session) {
        session.onHeard(keepAlive.ticks());
    }

    /**
     * Sets the ping interval that a client requested, in ms, within the configured bounds; returns the interval that
     * applies.
     */
    public int requestPing(Session session, long millis) {
        assert loop.inLoop();
        keepAlive.request(session, millis);
        return keepAlive.pingMillis(session);
    }

    public void onReady(Session session) {
        beginTurn();
        edge.slow().onReady(session);
    }

    /** Called when the connection is already closed. */
    public void onGone(Session session, Code code) {
        assert loop.inLoop();
        beginTurn();
        edge.end(session, code);
    }

    public void close(Session session, Code code, String reason) {
        beginTurn();
        edge.close(session, code, reason);
    }

    /** Appends bytes to what the session gets in this turn. */
    public void stage(Session session, ByteBuf bytes, int messages) {
        fanOut.stage(session, bytes, messages);
    }

    /** Logs and counts an unexpected exception that ends only the session or task in which it occurred. */
    public void onFailure(Throwable failure) {
        counters.increment(Counter.LOOP_FAILURES);
        failures.log(failure);
    }

    /** Counts an event that belongs to no lane. Any thread. */
    public void count(Counter counter) {
        count(counter, 1);
    }

    /** Adds an amount to a counter; a level may also fall. Any thread. */
    public void count(Counter counter, long amount) {
        run(() -> counters.add(counter, amount));
    }

    // ---- turns ----

    /** Starts a turn. The time is read once, when the first event occurs. */
    void beginTurn() {
        if (!turnBegun) {
            turnBegun = true;
            nowNanos = clock.nanos();
            nowMillis = clock.millis();
            loop.execute(endTurn);
        }
    }

    private void endTurn() {
        try {
            fanOut.flush();
        } catch (RuntimeException failure) {
            onFailure(failure);
        }
        // Not within a publish, because its subject could be among those that are removed.
        if (broker.history().isCleaningDue(nowMillis)) {
            broker.history().clean(nowMillis, subjects::forgetIfUnused);
        }
        broker.endTurn(nowMillis);
        boolean behind = broker.waitingBytes() > config.limits().backlog().historyUnsyncedBytes();
        if (behind != historyBehind) {
            // Written only on a change: other lanes read it, and a write that all of them see should not be paid in
            // every turn.
            historyBehind = behind;
        }
        turnBegun = false;
        for (int i = 0; i < handoffs.length; i++) {
            if (!handoffs[i].isEmpty()) {
                lanes[i].inbox.offer(handoffs[i].take());
            }
        }
    }

    /** Wakes the loop, because another lane has offered a batch. Any thread. */
    private void wake() {
        try {
            loop.execute(this::readInbox);
        } catch (RejectedExecutionException ended) {
            // The loops of a stopping server end one after the other. The batch stays in the inbox until the lane is
            // released.
            LOG.debug("loop ended before it read a batch of another lane", ended);
        }
    }

    private void readInbox() {
        beginTurn();
        inbox.onAwake();
        for (ByteBuf batch = inbox.poll(); batch != null; batch = inbox.poll()) {
            try {
                readBatch(batch);
            } finally {
                batch.release();
            }
        }
    }

    /** Makes the calls of a batch. A failing call is skipped: its bytes have been read, so the next call starts at its place. */
    private void readBatch(ByteBuf batch) {
        while (batch.isReadable()) {
            try {
                reader.read(batch);
            } catch (RuntimeException failure) {
                onFailure(failure);
            }
        }
    }

    long nowNanos() {
        return nowNanos;
    }

    long nowMillis() {
        return nowMillis;
    }

    /** Runs the task on the loop, at once if called on it. Any thread. */
    void run(Runnable task) {
        if (loop.inLoop()) {
            beginTurn();
            task.run();
        } else {
            loop.execute(() -> {
                beginTurn();
                task.run();
            });
        }
    }

    /** Runs the task after this turn's bytes have been written. */
    void later(Runnable task) {
        loop.execute(() -> contained(task));
    }

    /** Runs the task in the next turn, after the input of clients and other lanes. */
    void nextTurn(Runnable task) {
        loop.nextTurn(() -> contained(task));
    }

    /** Runs the task in a turn of its own after this time. */
    void after(long nanos, Runnable task) {
        loop.after(nanos, () -> contained(task));
    }

    private void contained(Runnable task) {
        beginTurn();
        try {
            task.run();
        } catch (RuntimeException failure) {
            onFailure(failure);
        }
    }

    // ---- shared by the lane's parts ----

    int lanes() {
        return lanes.length;
    }

    ToHome home(int lane) {
        return lane == index ? home : handoffs[lane];
    }

    /** Returns a home whose calls run after the current call, for calls that would otherwise recurse. */
    ToHome homeLater(int lane) {
        return handoffs[lane];
    }

    ToEdge edge(int lane) {
        return lane == index ? edge : handoffs[lane];
    }

    void onStale(boolean stale) {
        edge.staleNotices().onStale(stale);
    }

    LaneLimits shares() {
        return shares;
    }

    KeepAlive keepAlive() {
        return keepAlive;
    }

    /** Returns the edge of this lane, whose calls need no search for a subject that its home knows. */
    Edge edge() {
        return edge;
    }

    Broker broker() {
        return broker;
    }

    FanOut fanOut() {
        return fanOut;
    }

    LaneSubjects subjects() {
        return subjects;
    }

    SubjectKey readKey() {
        return readKey;
    }

    Replies repliesOf(Session session) {
        return session.isShared()
                ? replies[session.format()]
                : session.outbound().replies();
    }

    boolean isCongested(int lane) {
        return lanes[lane].isBehind();
    }

    /** Returns whether publishers should wait for this lane. Any thread. */
    private boolean isBehind() {
        return inbox.isCongested() || historyBehind;
    }

    /** Pauses the publisher until the congested lanes have processed their input. */
    void pause(Session session) {
        if (!paused.contains(session)) {
            paused.add(session);
            counters.increment(Counter.PUBLISH_PAUSES);
            session.outbound().pauseReading();
        }
    }

    // ---- periodic work ----

    private void tick() {
        beginTurn();
        keepAlive.advance();
        long lateNanos = nowNanos - tickDueNanos;
        counters.loopLag().record(lateNanos / 1000, 1);
        tickDueNanos = nowNanos + TICK_MILLIS * 1_000_000;
        broker.history().clean(nowMillis, subjects::forgetIfUnused);
        edge.slow().checkStalled(nowNanos);
        edge.rights().tick();
        resumePaused();
        keepAlive.check();
        drain.tick();
        level();
        shares.exchange(allShares);
        if (keepAlive.ticks() % TICKS_PER_LIST == 0) {
            counters.slowest(edge.slow().places().slowest(LoopCounters.SLOWEST, facts));
        }
    }

    private void resumePaused() {
        for (Lane lane : lanes) {
            if (lane.isBehind()) {
                return;
            }
        }
        paused.forEach(session -> session.outbound().resumeReading());
        paused.clear();
    }

    private void level() {
        setLevel(Counter.SESSIONS_WITH_OWN_PING, keepAlive.ownPings());
        setLevel(Counter.SUBJECTS, subjects.homed());
        setLevel(Counter.CACHED_MESSAGES, broker.history().messages());
        setLevel(Counter.CACHE_BYTES, broker.history().bytes());
        setLevel(Counter.CACHED_MESSAGES_COPIED, broker.history().copied());
        setLevel(Counter.CACHED_MESSAGES_EARLY, broker.history().early());
        setLevel(Counter.MESSAGE_IDS_FORGOTTEN, broker.history().idsForgotten());
        setLevel(Counter.HISTORY_WAITING_BYTES, broker.waitingBytes());
        setLevel(Counter.RETAINED_MESSAGES, broker.retained().size());
        setLevel(Counter.RETAINED_BYTES, broker.retained().bytes());
        setLevel(Counter.INBOX_BYTES, inbox.bytes());
    }

    private void setLevel(Counter counter, long value) {
        counters.add(counter, value - counters.value(counter));
    }

    /** Asks clients to reconnect elsewhere or later, and closes them, evenly over this time. Any thread. */
    public void drain(long overMillis) {
        run(() -> drain.begin(overMillis));
    }

    /**
     * Frees the memory outside the heap, after the last session, on the loop or after it has ended. Returns whether all accepted
     * messages are stored.
     */
    public boolean release() {
        boolean well = broker.close();
        edge.release();
        fanOut.release();
        if (deflater != null) {
            deflater.release();
        }
        for (WireReplies each : replies) {
            each.release();
        }
        for (Handoff each : handoffs) {
            each.release();
        }
        for (ByteBuf batch = inbox.poll(); batch != null; batch = inbox.poll()) {
            batch.release();
        }
        return well;
    }
}
