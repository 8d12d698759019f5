package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.FrameDeflater;
import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Broker;
import io.belfry.server.catchup.CatchUpReader;
import io.belfry.server.catchup.Places;
import io.belfry.server.catchup.SlowSessions;
import io.belfry.server.config.CompressionConfig;
import io.belfry.server.config.LimitConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.Batching;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.FanOut;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.edge.ClientNames;
import io.belfry.server.edge.Edge;
import io.belfry.server.edge.EdgeCommands;
import io.belfry.server.edge.EdgePatterns;
import io.belfry.server.edge.EdgePublisher;
import io.belfry.server.edge.EdgeSubscriptions;
import io.belfry.server.edge.EdgeWatches;
import io.belfry.server.edge.FollowedSubjects;
import io.belfry.server.edge.KeptSessions;
import io.belfry.server.edge.NameSubscriptions;
import io.belfry.server.edge.PatternPositions;
import io.belfry.server.edge.SessionEnding;
import io.belfry.server.edge.SessionIds;
import io.belfry.server.edge.SubjectSubscriptions;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.handoff.HandoffReader;
import io.belfry.server.handoff.InboxReader;
import io.belfry.server.handoff.LaneBacklog;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.LaneLimits;
import io.belfry.server.home.Home;
import io.belfry.server.session.Commands;
import io.belfry.server.session.Routing;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.session.Subscriptions;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectHome;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.supervision.Decisions;
import io.belfry.server.supervision.Drain;
import io.belfry.server.supervision.KeepAlive;
import io.belfry.server.supervision.PingIntervals;
import io.belfry.server.supervision.Rights;
import io.belfry.server.supervision.StaleNotices;
import io.belfry.server.turn.Loop;
import io.belfry.server.turn.Ticks;
import io.belfry.server.turn.Turn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one lane, and their assembly. Owner: the lane's loop. Where two parts call each other, the one that is created
 * first calls a method of this class that passes the call on.
 */
final class LaneParts {
    final Turn turn;
    final Ticks ticks = new Ticks();
    final LoopCounters counters;
    final SessionTable sessions = new SessionTable();
    final LaneCalls calls;
    final LaneSubjects subjects;
    final LaneLimits limits;
    final Home home;
    final Broker broker;
    final @Nullable FrameDeflater deflater;
    final FanOut fanOut;
    final LaneReplies replies;
    final Conflation conflation;
    final SlowSessions slow;
    final PatternPositions patternPositions;
    final EdgePatterns patterns;
    final EdgeSubscriptions subscriptions;
    final PingIntervals pings;
    final Decisions decisions;
    final Rights rights;
    final KeepAlive keepAlive;
    final StaleNotices staleNotices;
    final KeptSessions kept;
    final ClientNames clientNames;
    final SessionEnding ending;
    final EdgePublisher publisher;
    final EdgeCommands edgeCommands;
    final Commands commands;
    final InboxReader inbox;
    final LaneBacklog backlog;
    final Drain drain;

    LaneParts(int index, int lanes, Loop loop, LaneSetup setup, Turn.End end) {
        ServerConfig config = setup.config();
        long seed = setup.seed();
        counters = setup.counters().loop(index);
        turn = new Turn(loop, setup.clock(), counters, end);
        calls = new LaneCalls(index, lanes);

        subjects = new LaneSubjects(seed, index, lanes, this::home);
        limits = new LaneLimits(
                () -> subjects.table().size(),
                this::patternCount,
                config.limits().load());
        int generation = setup.storage() == null ? 0 : setup.storage().generation();
        home = new Home(turn, calls, subjects, limits, counters, seed, generation, events -> broker(setup, events));
        broker = home.broker();

        CompressionConfig compression = config.messages().compression();
        deflater = compression.enabled() ? new FrameDeflater(compression.bytesMin()) : null;
        Batching batching = Batching.of(loop, turn::begin, counters, config.messages());
        fanOut = new FanOut(
                sessions,
                subjects.subscribers(),
                counters,
                setup.clock(),
                new ToSlowSessions(),
                turn::begin,
                batching,
                deflater);
        replies = new LaneReplies(fanOut, setup.facts(), setup.clock(), index, counters);
        conflation =
                new Conflation(turn, fanOut, subjects, counters, this::conflated, conflatedMax(config.limits(), lanes));

        Places places = new Places(turn, index, subjects, seed, config.slowConsumer());
        CatchUpReader reader = new CatchUpReader(
                turn, calls, broker, places, replies, conflation, this::close, counters, config.slowConsumer());
        slow = new SlowSessions(
                turn, ticks, broker, fanOut, replies, this::close, places, reader, counters, config.slowConsumer());

        NameSubscriptions names =
                new NameSubscriptions(new Subscriptions(subjects.subscribers(), sessions), conflation, counters);
        patternPositions = new PatternPositions(home.order(), broker.epoch(), calls.lanes(), replies);
        patterns = new EdgePatterns(calls, names, conflation, replies, patternPositions, counters, seed);
        SubjectSubscriptions bySubject = new SubjectSubscriptions(
                calls, subjects, limits, broker, names, patterns, conflation, slow, replies, seed);
        EdgeWatches watches = new EdgeWatches(calls, replies, seed, config.limits());
        subscriptions = new EdgeSubscriptions(
                bySubject, names, patterns, watches, conflation, subjects, limits, replies, config.limits());

        pings = new PingIntervals(config.limits().pings(), counters);
        decisions = new Decisions(turn, counters, config.entitlement(), setup.entitlement(), lanes);
        staleNotices = new StaleNotices(turn, sessions, session -> subscriptions.held(session) > 0, replies, counters);
        kept = new KeptSessions(
                turn,
                index,
                sessions,
                subscriptions,
                new FollowedSubjects(subjects, names, conflation, places, broker, replies),
                replies,
                pings,
                this::close,
                this::routing,
                List.of(slow::onEnded, staleNotices::forget, this::forgetName),
                counters,
                new SessionIds(setup.facts()),
                config.limits().held().sessions().shareOf(lanes));
        clientNames = new ClientNames(
                calls,
                new SubjectKey(seed),
                sessions,
                kept,
                replies,
                this::close,
                config.limits().held().clients().shareOf(lanes));
        rights = new Rights(turn, sessions, decisions, pings, replies, this::close, clientNames, subscriptions, config);
        keepAlive = new KeepAlive(sessions, ticks, pings, rights, slow::hasTaken, this::close);
        drain = new Drain(turn, sessions, replies, this::close);
        ending = new SessionEnding(
                sessions,
                fanOut,
                counters,
                kept,
                List.of(
                        bySubject::forget,
                        conflation::forget,
                        patterns::forget,
                        slow::onEnded,
                        rights::forget,
                        pings::forget,
                        staleNotices::forget,
                        watches::forget,
                        clientNames::forget));

        publisher = new EdgePublisher(turn, calls, counters);
        edgeCommands = new EdgeCommands(turn, subscriptions, staleNotices, rights, replies, this::close);
        commands = new Commands(
                edgeCommands, publisher, counters, config.limits(), config.messages(), new SubjectKey(seed));
        Edge edge = new Edge(
                subjects, sessions, bySubject, names, patterns, conflation, fanOut, slow, replies, counters, seed);
        home.connect(edge, staleNotices::onStale);
        calls.connect(home, edge);
        inbox = new InboxReader(
                config.limits().backlog().inboxBytes(),
                loop,
                turn,
                new HandoffReader(new SubjectKey(seed), home, edge, setup.tracer()));
        backlog = new LaneBacklog(inbox.inbox(), config.limits().backlog());
    }

    private Broker broker(LaneSetup setup, Broker.Events events) {
        LaneHistory parts = new LaneHistory(setup, calls.lanes());
        if (setup.backbone() != null) {
            TimeSlicedQueue ofKafka = new TimeSlicedQueue(turn::later, turn::next, setup.clock()::nanos);
            return parts.inCluster(setup.backbone(), calls.index(), ofKafka, subjects, counters, events);
        }
        return setup.storage() == null
                ? parts.inMemory(counters, events)
                : parts.onDisk(setup.storage(), calls.index(), turn::run, subjects, counters, events);
    }

    private static int conflatedMax(LimitConfig limits, int lanes) {
        return Math.ceilDiv(limits.conflatedSubjects(), lanes);
    }

    /** Applies the settings that can change at run time. */
    void reconfigure(ServerConfig next, Entitlement entitlement) {
        limits.reconfigure(next.limits().load());
        subscriptions.reconfigure(next.limits());
        slow.reconfigure(next.slowConsumer());
        kept.reconfigure(next.limits().held().sessions().shareOf(calls.lanes()));
        clientNames.reconfigure(next.limits().held().clients().shareOf(calls.lanes()));
        conflation.reconfigure(conflatedMax(next.limits(), calls.lanes()));
        rights.reconfigure(entitlement, next.limits().ofAddress());
        commands.reconfigure(next.limits());
    }

    // ---- calls between parts that know each other ----

    private SubjectHome home() {
        return home;
    }

    private int patternCount() {
        return patterns.size();
    }

    private void conflated(Session session, int subject, MessageView message) {
        slow.conflated(session, subject, message);
    }

    private void forgetName(Session session) {
        clientNames.forget(session);
    }

    private Routing routing() {
        return edgeCommands;
    }

    private void close(Session session, Code code, String reason) {
        ending.close(session, code, reason);
    }

    /** Passes the sessions that the fan-out does not serve in the ordinary way to those that may be slow. */
    private final class ToSlowSessions implements FanOut.Special {
        @Override
        public boolean admit(Session session, int subject, MessageView message) {
            return slow.admit(session, subject, message);
        }

        @Override
        public void onStalled(Session session) {
            slow.onStalled(session);
        }

        @Override
        public void onFailed(Session session, RuntimeException failure) {
            slow.onFailed(session, failure);
        }
    }

    /** Frees the memory outside the heap. Returns whether all accepted messages are stored. */
    boolean release() {
        boolean well = broker.close();
        conflation.release();
        fanOut.release();
        if (deflater != null) {
            deflater.release();
        }
        replies.release();
        calls.release();
        inbox.release();
        return well;
    }
}
