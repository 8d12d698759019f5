package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.FrameDeflater;
import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.MemberReports;
import io.belfry.server.catchup.CatchUpReader;
import io.belfry.server.catchup.Places;
import io.belfry.server.catchup.SlowSessions;
import io.belfry.server.config.CompressionConfig;
import io.belfry.server.config.EventConfig;
import io.belfry.server.config.LimitConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.Batching;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.ConnectAnswers;
import io.belfry.server.delivery.Deltas;
import io.belfry.server.delivery.FanOut;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.MessageCompression;
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
import io.belfry.server.edge.UserSessions;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.handoff.HandoffReader;
import io.belfry.server.handoff.InboxReader;
import io.belfry.server.handoff.LaneBacklog;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.LaneLimits;
import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.handoff.UserRate;
import io.belfry.server.home.Home;
import io.belfry.server.home.OccupiedSubjects;
import io.belfry.server.home.ReportedMessages;
import io.belfry.server.presence.Memberships;
import io.belfry.server.presence.PresenceRooms;
import io.belfry.server.presence.SharedRooms;
import io.belfry.server.session.Commands;
import io.belfry.server.session.Routing;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.session.Subscriptions;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectHome;
import io.belfry.server.subject.SubjectHomes;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.supervision.CommandQuestions;
import io.belfry.server.supervision.Decisions;
import io.belfry.server.supervision.Drain;
import io.belfry.server.supervision.KeepAlive;
import io.belfry.server.supervision.PingIntervals;
import io.belfry.server.supervision.Rights;
import io.belfry.server.supervision.StaleNotices;
import io.belfry.server.turn.LongWork;
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
    final LongWork work;
    final Ticks ticks = new Ticks();
    final LoopCounters counters;
    final SessionTable sessions = new SessionTable();
    final LaneCalls calls;
    final LaneSubjects subjects;
    final LaneLimits limits;
    final LaneOptions options;
    final Home home;
    final PresenceRooms rooms;
    final @Nullable SharedRooms sharedRooms;
    private final boolean onDisk;
    final Memberships memberships;
    final Broker broker;
    final @Nullable FrameDeflater deflater;
    final @Nullable MessageCompression compression;
    final FanOut fanOut;
    final Deltas deltas;
    final LaneReplies replies;
    final Conflation conflation;
    final SlowSessions slow;
    final PatternPositions patternPositions;
    final EdgePatterns patterns;
    final EdgeSubscriptions subscriptions;
    final PingIntervals pings;
    final Decisions decisions;
    final CommandQuestions questions;
    final Rights rights;
    final KeepAlive keepAlive;
    final StaleNotices staleNotices;
    final KeptSessions kept;
    final ClientNames clientNames;
    final UserSessions users;
    final SessionEnding ending;
    final @Nullable LaneEvents events;
    final @Nullable OccupiedSubjects occupied;
    final EdgePublisher publisher;
    final EdgeCommands edgeCommands;
    final UserRate publishesOfUsers;
    final UserRate commandsOfUsers;
    final Commands commands;
    final InboxReader inbox;
    final LaneBacklog backlog;
    final Drain drain;

    LaneParts(int index, SubjectHomes homes, Loop loop, LaneSetup setup, Turn.End end) {
        int lanes = homes.lanes();
        ServerConfig config = setup.config();
        long seed = setup.seed();
        counters = setup.counters().loop(index);
        turn = new Turn(loop, setup.clock(), counters, end);
        work = new LongWork(turn, counters);
        calls = new LaneCalls(index, homes, counters);
        events = setup.events() == null ? null : new LaneEvents(setup.events(), setup.facts(), index, turn);

        subjects = new LaneSubjects(seed, index, homes, this::home);
        limits = new LaneLimits(
                () -> subjects.table().size(),
                this::patternCount,
                config.limits().load());
        options = new LaneOptions(subjects, seed, config.subjects());
        int generation = setup.storage() == null ? 0 : setup.storage().generation();
        home = new Home(
                turn, calls, subjects, limits, options, counters, seed, generation, owner -> broker(setup, owner));
        home.reconfigure(config.limits().held().sessions().shareOf(calls.lanes()));
        broker = home.broker();
        rooms = new PresenceRooms(
                turn,
                work,
                counters,
                new SubjectKey(seed),
                config.messages().maxMessageSize(),
                config.presence(),
                home::publishPresence);
        sharedRooms = broker.isShared() ? new SharedRooms(turn, work, rooms) : null;
        home.connect(rooms, sharedRooms);
        onDisk = setup.storage() != null;
        memberships = new Memberships(calls, subjects, options, new SubjectKey(seed), broker.memberReports());

        CompressionConfig compressing = config.messages().compression();
        deflater = compressing.enabled() ? new FrameDeflater(compressing.bytesMin()) : null;
        compression = deflater == null ? null : new MessageCompression(deflater, config.subjects());
        Batching batching = Batching.of(loop, turn::begin, counters, config.messages());
        Subscriptions byName = new Subscriptions(subjects.subscribers(), sessions);
        fanOut = new FanOut(
                sessions,
                subjects,
                byName,
                counters,
                setup.clock(),
                new ToSlowSessions(),
                turn::begin,
                () -> turn.next(() -> {}),
                batching,
                compression);
        deltas = new Deltas(
                fanOut,
                subjects.subscribers(),
                counters,
                config.messages().deltas().shareOf(lanes));
        replies = new LaneReplies(fanOut, setup.facts(), setup.clock(), index, counters);
        conflation =
                new Conflation(turn, fanOut, subjects, counters, this::conflated, conflatedMax(config.limits(), lanes));

        Places places = new Places(turn, index, subjects, options, seed, config.slowConsumer());
        CatchUpReader reader = new CatchUpReader(
                turn, calls, broker, places, replies, conflation, this::close, counters, config.slowConsumer());
        slow = new SlowSessions(
                turn,
                work,
                ticks,
                broker,
                fanOut,
                replies,
                this::close,
                places,
                reader,
                counters,
                config.slowConsumer());

        NameSubscriptions names = new NameSubscriptions(byName, conflation, counters);
        patternPositions = new PatternPositions(home.order(), broker.epoch(), calls.lanes(), replies, work);
        patterns = new EdgePatterns(calls, names, conflation, replies, patternPositions, counters, seed);
        SubjectSubscriptions bySubject = new SubjectSubscriptions(
                calls, subjects, limits, broker, names, patterns, conflation, deltas, slow, replies, memberships, seed);
        EdgeWatches watches = new EdgeWatches(calls, replies, seed, config.limits());
        subscriptions = new EdgeSubscriptions(
                bySubject, names, patterns, watches, conflation, subjects, limits, replies, config.limits());

        pings = new PingIntervals(config.limits().pings(), counters);
        decisions = new Decisions(turn, counters, config.entitlement(), setup.entitlement(), lanes);
        questions = new CommandQuestions(
                turn,
                work,
                counters,
                new Decisions(turn, counters, config.entitlement(), setup.entitlement(), lanes),
                session -> setup.facts().sessionName(index, session),
                config.entitlement().decide(),
                lanes);
        staleNotices = new StaleNotices(turn, sessions, session -> subscriptions.held(session) > 0, replies, counters);
        kept = new KeptSessions(
                turn,
                work,
                index,
                sessions,
                subscriptions,
                new FollowedSubjects(
                        subjects, names, conflation, deltas, places, broker, replies, new SubjectKey(seed)),
                replies,
                pings,
                this::close,
                this::routing,
                List.of(
                        slow::onDetached,
                        memberships::forget,
                        staleNotices::forget,
                        this::forgetName,
                        this::forgetUser),
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
        users = new UserSessions(
                turn,
                calls,
                new SubjectKey(seed),
                sessions,
                clientNames,
                replies,
                this::close,
                config.limits().held().users());
        occupied = events == null
                ? null
                : occupied(events, config.events().orElseThrow().vacancy());
        if (events != null && occupied != null) {
            rooms.observe(events);
            places.observe(events);
            home.connect(occupied);
        }
        rights = new Rights(
                turn, sessions, decisions, pings, replies, this::close, answers(users), subscriptions, config);
        keepAlive = new KeepAlive(turn, work, sessions, ticks, pings, rights, slow::hasTaken, this::close);
        drain = new Drain(turn, work, sessions, replies, this::close);
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
                        clientNames::forget,
                        users::forget),
                events == null ? (session, code) -> {} : events::onEnded);

        publisher = new EdgePublisher(turn, work, calls, options, counters);
        edgeCommands = new EdgeCommands(turn, work, subscriptions, staleNotices, rights, replies, this::close);
        publishesOfUsers = new UserRate(work::begin);
        commandsOfUsers = new UserRate(work::begin);
        commands = new Commands(
                edgeCommands,
                publisher,
                questions,
                publishesOfUsers::take,
                commandsOfUsers::take,
                counters,
                config.limits(),
                config.messages(),
                config.subjects(),
                new SubjectKey(seed));
        Edge edge = new Edge(
                subjects,
                sessions,
                bySubject,
                names,
                patterns,
                conflation,
                fanOut,
                deltas,
                slow,
                replies,
                counters,
                seed);
        home.connect(edge, staleNotices::onStale);
        calls.connect(home, edge);
        inbox = new InboxReader(
                config.limits().backlog().inboxBytes(),
                loop,
                turn,
                new HandoffReader(new SubjectKey(seed), home, edge, setup.tracer()));
        backlog = new LaneBacklog(inbox.inbox(), config.limits().backlog());
    }

    private OccupiedSubjects occupied(LaneEvents observer, EventConfig.Vacancy vacancy) {
        int vacantMax = Math.ceilDiv(vacancy.subjects(), calls.lanes());
        return new OccupiedSubjects(turn, work, options, counters, observer, vacancy, vacantMax);
    }

    /** Reports a connect to the application before its answer. */
    private ConnectAnswers answers(ConnectAnswers next) {
        LaneEvents reported = events;
        if (reported == null) {
            return next;
        }
        return (session, id, request) -> {
            reported.onConnect(session, request);
            next.connect(session, id, request);
        };
    }

    private Broker broker(LaneSetup setup, Broker.Events home) {
        Broker.Events to =
                events != null && events.wantsMessages() ? new ReportedMessages(home, subjects, options, events) : home;
        LaneHistory parts = new LaneHistory(setup, calls.lanes(), options);
        if (setup.backbone() != null) {
            TimeSlicedQueue ofKafka = new TimeSlicedQueue(turn::later, turn::next, setup.clock()::nanos);
            return parts.inCluster(setup.backbone(), calls.index(), ofKafka, subjects, counters, to);
        }
        return setup.storage() == null
                ? parts.inMemory(counters, to)
                : parts.onDisk(setup.storage(), calls.index(), turn::run, subjects, counters, to);
    }

    private static int conflatedMax(LimitConfig limits, int lanes) {
        return Math.ceilDiv(limits.conflatedSubjects(), lanes);
    }

    /** Applies the settings that can change at run time. */
    void reconfigure(ServerConfig next, Entitlement entitlement) {
        limits.reconfigure(next.limits().load());
        boolean same = options.rules().equals(next.subjects());
        options.reconfigure(next.subjects());
        rooms.reconfigure(next.presence());
        MemberReports reports = broker.memberReports();
        if (reports != null && options.showsMembers()) {
            reports.begin();
        }
        if (!same && memberships.isEnabled()) {
            renewMemberships();
            restatePresence();
        }
        subscriptions.reconfigure(next.limits());
        slow.reconfigure(next.slowConsumer());
        kept.reconfigure(next.limits().held().sessions().shareOf(calls.lanes()));
        home.reconfigure(next.limits().held().sessions().shareOf(calls.lanes()));
        clientNames.reconfigure(next.limits().held().clients().shareOf(calls.lanes()));
        users.reconfigure(next.limits().held().users());
        conflation.reconfigure(conflatedMax(next.limits(), calls.lanes()));
        rights.reconfigure(entitlement, next.limits().ofAddress());
        questions.reconfigure(entitlement, next.entitlement().decide());
        commands.reconfigure(next.limits(), next.subjects());
        if (compression != null) {
            compression.reconfigure(next.subjects());
        }
    }

    /** Compares the subscriptions of all sessions with the options of subjects again. */
    private void renewMemberships() {
        int[] slot = new int[1];
        work.begin(() -> {
            Session session = slot[0] < sessions.bound() ? sessions.at(slot[0]++) : null;
            if (session != null) {
                subscriptions.renewMemberships(session);
            }
            return slot[0] < sessions.bound();
        });
    }

    /** Publishes, for messages that were restored from the disk, that the members of the time before have left. */
    void restatePresence() {
        if (onDisk && options.showsMembers()) {
            rooms.restate(subjects, calls.index());
        }
    }

    /** Publishes what is due in the rooms of this lane. Called periodically. */
    void tickPresence() {
        if (sharedRooms != null) {
            sharedRooms.tick();
        }
        rooms.tick();
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

    private void forgetUser(Session session) {
        users.forget(session);
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
        public boolean deliveringByPattern(boolean pattern) {
            return slow.deliveringByPattern(pattern);
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
