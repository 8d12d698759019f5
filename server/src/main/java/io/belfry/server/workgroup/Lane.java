package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.FrameDeflater;
import io.belfry.protocol.WireFormat;
import io.belfry.server.broker.Broker;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.FanOut;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.handoff.Inbox;
import io.belfry.server.handoff.LaneBacklog;
import io.belfry.server.handoff.LaneLimits;
import io.belfry.server.session.Commands;
import io.belfry.server.session.Outbound;
import io.belfry.server.session.Routing;
import io.belfry.server.session.Session;
import io.belfry.server.subject.SubjectHomes;
import io.belfry.server.trace.TraceContext;
import io.belfry.server.trace.Tracer;
import io.belfry.server.turn.Clock;
import io.belfry.server.turn.Loop;
import io.belfry.server.turn.Ticks;
import io.belfry.server.turn.Turn;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread and everything it owns, as the transport and the server use it. Owner: its loop; methods for other threads say
 * so.
 */
public final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    /** Ticks between two updates of the list of lagging sessions in `/stats` and the console: one second. */
    private static final int TICKS_PER_LIST = 10;

    /** Ticks between two reports to the edges for positions of patterns: five seconds. */
    private static final int TICKS_PER_POSITION = 50;

    /** Maximum time of a turn, apart from single steps of work. */
    private static final long TURN_NANOS = 5 * Turn.SLICE_NANOS / 2;

    private final int index;
    private final long seed;
    private final Loop loop;
    private final Clock clock;
    private final ServerConfig config;
    private final NodeFacts facts;
    private final @Nullable Tracer tracer;
    private final LaneParts parts;

    // The parts that are used per message or read are fields of the lane too.
    private final Turn turn;
    private final Ticks ticks;
    private final Commands commands;
    private final FanOut fanOut;
    private final LoopCounters counters;
    private List<LaneLimits> allLimits = List.of();
    private long tickDueNanos;

    public Lane(int index, SubjectHomes homes, Loop loop, LaneSetup setup) {
        this.index = index;
        seed = setup.seed();
        this.loop = loop;
        clock = setup.clock();
        config = setup.config();
        facts = setup.facts();
        tracer = setup.tracer();
        parts = new LaneParts(index, homes, loop, setup, new TurnEnd());
        turn = parts.turn;
        ticks = parts.ticks;
        commands = parts.commands;
        fanOut = parts.fanOut;
        counters = parts.counters;
    }

    /** Connects the lanes with each other and starts the periodic tick. Called before any session exists. */
    void start(List<Lane> all) {
        parts.calls.connect(all.stream().map(Lane::inbox).toList());
        parts.publisher.connect(all.stream().map(Lane::backlog).toList());
        parts.kept.connect((lane, task) -> runOn(all.get(lane), parts -> task.accept(parts.kept)));
        parts.users.connect((lane, task) -> runOn(all.get(lane), parts -> task.accept(parts.users)));
        parts.publishesOfUsers.connect(
                all.stream().map(lane -> lane.parts.publishesOfUsers).toList());
        parts.commandsOfUsers.connect(
                all.stream().map(lane -> lane.parts.commandsOfUsers).toList());
        parts.clientNames.connect((lane, task) -> runOn(all.get(lane), parts -> task.accept(parts.clientNames)));
        parts.memberships.connect((lane, task) -> {
            Lane home = all.get(lane);
            runLater(home, () -> task.accept(home.parts.rooms));
        });
        allLimits = all.stream().map(Lane::limits).toList();
        tickDueNanos = clock.nanos() + Ticks.MILLIS * 1_000_000;
        loop.every(Ticks.MILLIS, this::tick);
    }

    /** Runs the task of this lane on another one. The loops of a stopping server end one after the other. */
    private static void runOn(Lane lane, Consumer<LaneParts> task) {
        try {
            lane.run(() -> task.accept(lane.parts));
        } catch (RejectedExecutionException ended) {
            LOG.debug("loop ended before a task of another lane", ended);
        }
    }

    /** Runs the task on the lane after its present call. The loops of a stopping server end one after the other. */
    private static void runLater(Lane lane, Runnable task) {
        try {
            lane.turn.later(task);
        } catch (RejectedExecutionException ended) {
            LOG.debug("loop ended before a task of presence", ended);
        }
    }

    private Inbox inbox() {
        return parts.inbox.inbox();
    }

    private LaneBacklog backlog() {
        return parts.backlog;
    }

    private LaneLimits limits() {
        return parts.limits;
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
        return parts.deflater;
    }

    /** Applies the settings that can change at run time. Any thread. */
    public void reconfigure(ServerConfig next, Entitlement nextEntitlement) {
        turn.run(() -> parts.reconfigure(next, nextEntitlement));
    }

    /** Returns access to the lane's sessions and subjects for the monitor. */
    public LaneInspector inspector() {
        return new LaneInspector(parts, facts, seed);
    }

    /** Returns access to the lane's sessions and history for the server API. */
    public LaneOperator operator() {
        return new LaneOperator(parts, seed);
    }

    /** Returns the seed of the hashes of subjects. */
    long seed() {
        return seed;
    }

    /** Returns what traces calls, or null if tracing is off. */
    public @Nullable Tracer tracer() {
        return tracer;
    }

    /** Sets the span of the publishes that follow; the caller sets null after its publish. */
    public void trace(@Nullable TraceContext context) {
        assert loop.inLoop();
        parts.publisher.trace(context);
    }

    /**
     * Asks the entitlement provider about a new client; the answer arrives on the loop, within this call or later.
     * Returns whether it has arrived.
     */
    public boolean admit(Entitlement.Credentials credentials, Consumer<Entitlement.Answer> answer) {
        turn.begin();
        return parts.decisions.decide(credentials, answer);
    }

    /** Returns the name by which clients, logs and the monitor know the session. */
    public String nameOf(Session session) {
        return facts.sessionName(index(), session);
    }

    /** Opens a session. {@code format} is its shared wire format, or null if the outbound encodes its own replies. */
    public Session open(Outbound outbound, @Nullable WireFormat format, Principal principal) {
        assert loop.inLoop();
        turn.begin();
        if (format != null) {
            parts.replies.open(format);
        }
        Session session = new Session(
                outbound,
                principal,
                parts.sessions.takeSlot(),
                parts.sessions.nextGeneration(),
                format == null ? -1 : format.id(),
                ticks.count());
        parts.sessions.put(session);
        counters.increment(Counter.SESSIONS_OPENED);
        parts.rights.onPrincipal(session);
        parts.users.onOpened(session);
        if (format != null && format.binary()) {
            parts.replies.epoch(session);
        }
        return session;
    }

    /** Reports an opened session to the application; sessions of single calls are not reported. */
    public void announce(Session session) {
        if (parts.events != null) {
            parts.events.onOpened(session);
        }
    }

    /** Returns the handler of this session's commands, valid until the next call for another session. */
    public Commands commands(Session session) {
        assert loop.inLoop();
        turn.begin();
        return commands.of(session);
    }

    /** Returns the checks of commands that need no session. */
    public Commands commands() {
        assert loop.inLoop();
        turn.begin();
        return parts.commands;
    }

    /** Returns the operations of the lane's sessions. */
    public Routing routing() {
        turn.begin();
        return parts.edgeCommands;
    }

    public void onHeard(Session session) {
        session.onHeard(ticks.count());
    }

    /**
     * Sets the ping interval that a client requested, in ms, within the configured bounds; returns the interval that
     * applies.
     */
    public int requestPing(Session session, long millis) {
        assert loop.inLoop();
        parts.pings.request(session, millis);
        return parts.pings.pingMillis(session);
    }

    public void onReady(Session session) {
        turn.begin();
        if (!session.isDetached() && parts.slow.onReady(session)) {
            parts.patterns.readOn(session);
        }
    }

    /** Called when the connection is already closed. */
    public void onGone(Session session, Code code) {
        assert loop.inLoop();
        turn.begin();
        // A kept session has lost this connection before.
        if (!session.isDetached()) {
            parts.ending.end(session, code);
        }
    }

    public void close(Session session, Code code, String reason) {
        turn.begin();
        parts.ending.close(session, code, reason);
    }

    /** Appends bytes to what the session gets in this turn. */
    public void stage(Session session, ByteBuf bytes, int messages) {
        fanOut.stage(session, bytes, messages);
    }

    /** Logs and counts an unexpected exception that ends only the session or task in which it occurred. */
    public void onFailure(Throwable failure) {
        turn.onFailure(failure);
    }

    /** Counts an event that belongs to no lane. Any thread. */
    public void count(Counter counter) {
        count(counter, 1);
    }

    /** Adds an amount to a counter; a level may also fall. Any thread. */
    public void count(Counter counter, long amount) {
        turn.run(() -> counters.add(counter, amount));
    }

    /** Moves an amount that any thread may add to into a counter. Any thread. */
    public void count(Counter counter, AtomicLong amount) {
        turn.run(() -> counters.add(counter, amount.getAndSet(0)));
    }

    // ---- turns ----

    /** Writes and passes on what the parts recorded in a turn. */
    private final class TurnEnd implements Turn.End {
        @Override
        public void endTurn() {
            try {
                fanOut.flush(writeNanos());
            } catch (RuntimeException failure) {
                turn.onFailure(failure);
            }
            Broker broker = parts.broker;
            long nowMillis = turn.nowMillis();
            // Not within a publish, because its subject could be among those that are removed.
            if (broker.history().isCleaningDue(nowMillis)) {
                broker.history().clean(nowMillis, parts.subjects::forgetIfUnused);
            }
            broker.endTurn(nowMillis);
            parts.backlog.onHistoryWaiting(broker.waitingBytes());
            parts.backlog.onWritesWaiting(fanOut.isOverloaded());
        }

        /** Returns the time for each of the two kinds of writes, which is shorter in a turn that has taken long already. */
        private long writeNanos() {
            long leftNanos = TURN_NANOS - (clock.nanos() - turn.nowNanos());
            return Math.clamp(leftNanos / 2, Turn.LEAST_NANOS, Turn.SLICE_NANOS);
        }

        @Override
        public void afterTurn() {
            parts.calls.send();
        }
    }

    /** Runs the task on the loop, at once if called on it. Any thread. */
    void run(Runnable task) {
        turn.run(task);
    }

    /** Returns the parts, for what follows or shows the lane from this package. */
    LaneParts parts() {
        return parts;
    }

    // ---- periodic work ----

    private void tick() {
        turn.begin();
        ticks.advance();
        long lateNanos = turn.nowNanos() - tickDueNanos;
        counters.loopLag().record(lateNanos / 1000, 1);
        tickDueNanos = turn.nowNanos() + Ticks.MILLIS * 1_000_000;
        parts.broker.history().clean(turn.nowMillis(), parts.subjects::forgetIfUnused);
        parts.home.sweepRetained();
        parts.slow.checkStalled(turn.nowNanos());
        parts.rights.tick();
        parts.questions.tick();
        parts.publisher.resumePaused();
        parts.keepAlive.check();
        parts.kept.tick();
        parts.tickPresence();
        if (parts.occupied != null) {
            parts.occupied.tick();
        }
        parts.drain.tick();
        level();
        parts.limits.exchange(allLimits);
        parts.publishesOfUsers.tick(turn.nowNanos());
        parts.commandsOfUsers.tick(turn.nowNanos());
        if (ticks.count() == 1) {
            parts.restatePresence();
        }
        if (ticks.count() % TICKS_PER_POSITION == 0) {
            parts.home.reportDelivered();
        }
        if (ticks.count() % TICKS_PER_LIST == 0) {
            counters.slowest(parts.slow.places().slowest(LoopCounters.SLOWEST, facts));
        }
    }

    private void level() {
        Broker broker = parts.broker;
        setLevel(Counter.SESSIONS_WITH_OWN_PING, parts.pings.ownPings());
        setLevel(Counter.CLIENT_NAMES, parts.clientNames.size());
        setLevel(Counter.USERS, parts.users.size());
        setLevel(Counter.SUBJECTS, parts.subjects.homed());
        setLevel(Counter.CACHED_MESSAGES, broker.history().messages());
        setLevel(Counter.CACHE_BYTES, broker.history().bytes());
        setLevel(Counter.CACHED_MESSAGES_COPIED, broker.history().copied());
        setLevel(Counter.CACHED_MESSAGES_EARLY, broker.history().early());
        setLevel(Counter.MESSAGE_IDS_FORGOTTEN, broker.history().idsForgotten());
        setLevel(Counter.HISTORY_WAITING_BYTES, broker.waitingBytes());
        setLevel(Counter.RETAINED_MESSAGES, broker.retained().size());
        setLevel(Counter.RETAINED_BYTES, broker.retained().bytes());
        setLevel(Counter.INBOX_BYTES, inbox().bytes());
    }

    private void setLevel(Counter counter, long value) {
        counters.add(counter, value - counters.value(counter));
    }

    /** Asks clients to reconnect elsewhere or later, and closes them, evenly over this time. Any thread. */
    public void drain(long overMillis) {
        turn.run(() -> parts.drain.begin(overMillis));
    }

    /**
     * Frees the memory outside the heap, after the last session, on the loop or after it has ended. Returns whether all accepted
     * messages are stored.
     */
    public boolean release() {
        return parts.release();
    }
}
