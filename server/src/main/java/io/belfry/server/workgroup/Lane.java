package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.FrameDeflater;
import io.belfry.protocol.MessageView;
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
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread and everything it owns. Owner: its loop; what other threads may call says so.
 *
 * <p>A <em>turn</em> is what the loop does between two looks at its sockets. Whatever happens in it only notes what is to
 * go out; at its end each session gets one write and each other lane one batch.
 */
public final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private static final long TICK_MILLIS = 100;

    /** Once a second: which sessions lag is for people to look at. */
    private static final int TICKS_PER_LIST = 10;

    /** How often a session is looked at within one ping interval. */
    private static final int SWEEPS_PER_PING = 4;

    private static final int PING_INTERVALS_MAX = 2;

    private final int index;
    private final Loop loop;
    private final Clock clock;
    private final LoopCounters counters;
    private final ServerConfig config;
    private final NodeFacts facts;
    private final SessionTable sessions = new SessionTable();
    private final LaneSubjects subjects;
    private final Shares shares;
    private final Broker broker;
    private final @Nullable FrameDeflater deflater;
    private final FanOut fanOut;
    private final Edge edge;
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
    private List<Shares> allShares = List.of();

    /** Written by the loop, read by the lanes whose sessions publish. */
    private volatile boolean historyBehind;

    private boolean turnBegun;
    private long nowNanos;
    private long nowMillis;
    private int ticks;
    private int sweepCursor;
    private long sweepCredit;
    private long tickDueNanos;

    public Lane(int index, int lanes, Loop loop, LaneSetup setup) {
        this.index = index;
        this.loop = loop;
        this.clock = setup.clock();
        this.config = setup.config();
        facts = setup.facts();
        counters = setup.counters().loop(index);
        subjects = new LaneSubjects(setup.seed(), index, lanes, this::broker);
        home = new Home(this, subjects, counters, setup.seed());
        edge = new Edge(this, subjects, sessions, counters, setup);
        shares = new Shares(
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
        inbox = new Inbox(config.limits().inboxBytes(), () -> loop.execute(this::readInbox));
        reader = new HandoffReader(new SubjectKey(setup.seed()), home, edge);
        replies = new WireReplies[WireFormat.values().length];
        java.util.Arrays.setAll(
                replies, i -> new WireReplies(WireFormat.values()[i], fanOut, setup.facts(), clock, index));
        readKey = new SubjectKey(setup.seed());
        drain = new Drain(this, sessions);
    }

    private Broker broker(LaneSetup setup, int lanes) {
        LaneHistory parts = new LaneHistory(setup, lanes);
        if (setup.backbone() != null) {
            Pieces ofKafka = new Pieces(this::later, this::nextTurn, setup.clock()::nanos);
            return parts.inCluster(setup.backbone(), index, ofKafka, subjects, counters, home);
        }
        return setup.storage() == null
                ? parts.inMemory(counters, home)
                : parts.onDisk(setup.storage(), index, this::run, subjects, counters, home);
    }

    /** Makes the lanes known to each other and starts the clockwork. Before any session. */
    void start(Lane[] all) {
        lanes = all;
        allShares = Arrays.stream(all).map(Lane::shares).toList();
        tickDueNanos = clock.nanos() + TICK_MILLIS * 1_000_000;
        loop.every(TICK_MILLIS, this::tick);
    }

    // ---- what the transport calls ----

    public int index() {
        return index;
    }

    public LoopCounters counters() {
        return counters;
    }

    public ServerConfig config() {
        return config;
    }

    /** What compresses frames here; null where {@code Compression} is off. */
    public @Nullable FrameDeflater deflater() {
        return deflater;
    }

    /** Takes over what can change at run time. Any thread. */
    public void reconfigure(ServerConfig next, Entitlement nextEntitlement) {
        run(() -> {
            shares.reconfigure(next.limits().load());
            edge.reconfigure(next, nextEntitlement);
            commands.reconfigure(next.limits());
        });
    }

    /** Asks the entitlement about a client that wants in; the answer comes on the loop, now or later. */
    public void admit(Entitlement.Credentials credentials, Consumer<Entitlement.Answer> answer) {
        beginTurn();
        edge.rights().decisions().decide(credentials, answer);
    }

    /** A client is in. {@code format} is the wire format of a shared encoding, or null where the outbound names its replies. */
    public Session open(Outbound outbound, @Nullable WireFormat format, Principal principal) {
        assert loop.inLoop();
        beginTurn();
        Session session = new Session(
                outbound,
                principal,
                sessions.takeSlot(),
                sessions.nextGeneration(),
                format == null ? -1 : format.ordinal(),
                ticks);
        sessions.put(session);
        counters.increment(Counter.SESSIONS_OPENED);
        edge.rights().onPrincipal(session);
        if (format != null && format.binary()) {
            replies[format.ordinal()].epoch(session);
        }
        return session;
    }

    /** The handler of this session's commands, until it is asked for another's. */
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
        session.onHeard(ticks);
    }

    public void onReady(Session session) {
        beginTurn();
        edge.slow().onReady(session);
    }

    /** The connection is gone already. */
    public void onGone(Session session, Code code) {
        assert loop.inLoop();
        beginTurn();
        edge.end(session, code);
    }

    public void close(Session session, Code code, String reason) {
        beginTurn();
        edge.close(session, code, reason);
    }

    /** Puts bytes behind what the session gets in this turn. */
    public void stage(Session session, ByteBuf bytes, int messages) {
        fanOut.stage(session, bytes, messages);
    }

    /** An unexpected exception that ends no more than what it happened in. */
    public void onFailure(Throwable failure) {
        counters.increment(Counter.LOOP_FAILURES);
        failures.log(failure);
    }

    /** Counts what happened on no lane. Any thread. */
    public void count(Counter counter) {
        count(counter, 1);
    }

    /** As {@link #count(Counter)}, so many at once; a level may also fall. Any thread. */
    public void count(Counter counter, long amount) {
        run(() -> counters.add(counter, amount));
    }

    // ---- turns ----

    /** Time stands still within a turn: it is read when the first thing happens. */
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
        // Not within a publish: the subject it is for could be among those forgotten.
        if (broker.history().isCleaningDue(nowMillis)) {
            broker.history().clean(nowMillis, subjects::forgetIfUnused);
        }
        broker.endTurn(nowMillis);
        boolean behind = broker.waitingBytes() > config.limits().historyUnsyncedBytes();
        if (behind != historyBehind) {
            // Only then: other lanes read it, and a turn is not to pay for a write that all of them see.
            historyBehind = behind;
        }
        turnBegun = false;
        for (int i = 0; i < handoffs.length; i++) {
            if (!handoffs[i].isEmpty()) {
                lanes[i].inbox.offer(handoffs[i].take());
            }
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

    /** A call that fails is passed over; its bytes are read by then, so the next one begins where it should. */
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

    /** Runs on the loop, at once when called on it. Any thread. */
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

    /** Runs the task when this turn's bytes have been written. */
    void later(Runnable task) {
        loop.execute(() -> contained(task));
    }

    /** Runs the task when what clients and other lanes sent meanwhile has been served. */
    void nextTurn(Runnable task) {
        loop.nextTurn(() -> contained(task));
    }

    /** Runs the task in a turn of its own when so much time has passed. */
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

    // ---- what the lane's parts share ----

    int lanes() {
        return lanes.length;
    }

    ToHome home(int lane) {
        return lane == index ? home : handoffs[lane];
    }

    /** As {@link #home}, but never within the call: for what would otherwise call itself. */
    ToHome homeLater(int lane) {
        return handoffs[lane];
    }

    ToEdge edge(int lane) {
        return lane == index ? edge : handoffs[lane];
    }

    void onStale(boolean stale) {
        edge.staleNotices().onStale(stale);
    }

    Shares shares() {
        return shares;
    }

    void deliverHere(int subject, SubjectKey key, MessageView message, long receivedNanos) {
        edge.deliver(index, subject, key, message, receivedNanos);
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

    /** Whether publishers are to wait for this lane. Any thread. */
    private boolean isBehind() {
        return inbox.isCongested() || historyBehind;
    }

    /** The publisher waits until the lanes have worked off what they were given. */
    void pause(Session session) {
        if (!paused.contains(session)) {
            paused.add(session);
            counters.increment(Counter.PUBLISH_PAUSES);
            session.outbound().pauseReading();
        }
    }

    // ---- clockwork ----

    private void tick() {
        beginTurn();
        ticks++;
        long lateNanos = nowNanos - tickDueNanos;
        counters.loopLag().record(lateNanos / 1000, 1);
        tickDueNanos = nowNanos + TICK_MILLIS * 1_000_000;
        broker.history().clean(nowMillis, subjects::forgetIfUnused);
        edge.slow().checkStalled(nowNanos);
        edge.rights().tick();
        resumePaused();
        sweep();
        drain.tick();
        level();
        shares.exchange(allShares);
        if (ticks % TICKS_PER_LIST == 0) {
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

    /** Looks at a share of the sessions: pings the silent ones and gives up those that did not answer. */
    private void sweep() {
        int pingTicks = (int) Math.max(1, config.limits().pingMillis() / TICK_MILLIS);
        sweepCredit += (long) sessions.bound() * SWEEPS_PER_PING;
        long share = Math.min(sessions.bound(), sweepCredit / pingTicks);
        sweepCredit %= pingTicks;
        for (int i = 0; i < share; i++) {
            sweepCursor = sweepCursor + 1 < sessions.bound() ? sweepCursor + 1 : 0;
            Session session = sessions.at(sweepCursor);
            if (session != null) {
                look(session, ticks - session.lastHeard(), pingTicks);
            }
        }
    }

    private void look(Session session, int silentTicks, int pingTicks) {
        edge.rights().look(session);
        if (session.isClosed()) {
            return;
        }
        if (edge.slow().hasTaken(session)) {
            session.onHeard(ticks);
        } else if (silentTicks > pingTicks * PING_INTERVALS_MAX) {
            close(session, Code.PING_TIMEOUT, "no answer to pings");
        } else if (silentTicks >= pingTicks
                && session.isReady()
                && !session.outbound().ping()) {
            session.onHeard(ticks);
        }
    }

    private void level() {
        setLevel(Counter.SUBJECTS, subjects.homed());
        setLevel(Counter.CACHED_MESSAGES, broker.history().messages());
        setLevel(Counter.CACHE_BYTES, broker.history().bytes());
        setLevel(Counter.CACHED_MESSAGES_COPIED, broker.history().copied());
        setLevel(Counter.CACHED_MESSAGES_EARLY, broker.history().early());
        setLevel(Counter.HISTORY_WAITING_BYTES, broker.waitingBytes());
        setLevel(Counter.RETAINED_MESSAGES, broker.retained().size());
        setLevel(Counter.RETAINED_BYTES, broker.retained().bytes());
        setLevel(Counter.INBOX_BYTES, inbox.bytes());
    }

    private void setLevel(Counter counter, long value) {
        counters.add(counter, value - counters.value(counter));
    }

    /** Asks clients to come back elsewhere or later and closes them, spread evenly over this time. Any thread. */
    public void drain(long overMillis) {
        run(() -> drain.begin(overMillis));
    }

    /**
     * Gives back what lies off the heap, when the loop ended or on it, after the last session. Answers whether the history
     * is where it is to be.
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
