package io.belfry.server.home;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.ReplyInboxes;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.LogOrder;
import io.belfry.server.broker.MemberEvents;
import io.belfry.server.broker.Publication;
import io.belfry.server.config.KeptSessionConfig;
import io.belfry.server.config.SubjectOptions;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.handoff.CatchUpBounds;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.LaneLimits;
import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.handoff.LocalEdge;
import io.belfry.server.handoff.ToEdge;
import io.belfry.server.handoff.ToHome;
import io.belfry.server.presence.PresenceRooms;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectHome;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.belfry.server.turn.Turn;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The part of a lane that is the home of subjects: passes publishes to the broker, tracks which lanes are interested in
 * which subject, and reads past messages for sessions. Owner: the lane's loop.
 *
 * <p>Joining leaves no gap: the answer to a join and the live messages after it reach the edge through one ordered channel,
 * and the interest is recorded in the same step in which the position is read.
 */
public final class Home implements ToHome, Broker.Events, SubjectHome {
    private final Turn turn;
    private final LaneCalls calls;
    private final LaneSubjects subjects;
    private final LaneLimits limits;
    private final Broker broker;
    private final SubjectKey messageKey;
    private final MessageView past = new MessageView();
    private final HomePatterns patterns;
    private final Watchers watchers;
    private final LateJoins lateJoins;
    private final LaneOptions options;
    private final Lifetime lifetime;
    private final PastReader reader;
    private final JoinAnswers answers;
    private final ServerHeaders serverHeaders = new ServerHeaders();
    private int publishing = SubjectTable.NONE;
    private final Publication ofPresence = new Publication();
    private final MemberSnapshots members;
    private final InboxGrace inboxes;
    private @Nullable LocalEdge localEdge;
    private Consumer<Boolean> stale = now -> {};

    /**
     * Creates the home and its broker.
     *
     * @param seed seed of the subject hashes
     * @param generation the generation of the logs on disk, or 0
     * @param brokers creates the broker, which calls the home from the lane's first turn on
     */
    public Home(
            Turn turn,
            LaneCalls calls,
            LaneSubjects subjects,
            LaneLimits limits,
            LaneOptions options,
            LoopCounters counters,
            long seed,
            int generation,
            Function<Broker.Events, Broker> brokers) {
        this.turn = turn;
        this.calls = calls;
        this.subjects = subjects;
        this.limits = limits;
        this.options = options;
        lifetime = new Lifetime(turn, options);
        inboxes = new InboxGrace(turn, subjects, seed);
        messageKey = new SubjectKey(seed);
        broker = brokers.apply(this);
        reader = new PastReader(turn, broker, lifetime);
        members = new MemberSnapshots(turn, broker);
        patterns = new HomePatterns(turn, calls, subjects, counters, broker, lifetime, seed, generation);
        watchers = new Watchers(broker, calls);
        lateJoins = new LateJoins(turn, broker, subjects, this, seed);
        answers = new JoinAnswers(turn, broker, lifetime, reader, members, lateJoins, counters);
    }

    /** Sets the members of subjects, and in a cluster the receiver of those of all nodes, before the first turn. */
    public void connect(PresenceRooms members, @Nullable MemberEvents shared) {
        this.members.connect(members, shared);
    }

    /** Reports subjects with subscribers to the application, from before the first turn on. */
    public void connect(OccupiedSubjects occupied) {
        watchers.report(occupied);
    }

    /** Sets the edge of this lane and the receiver of {@link #onStale}, before the first turn. */
    public void connect(LocalEdge edge, Consumer<Boolean> onStale) {
        localEdge = edge;
        stale = onStale;
    }

    /** Sets this lane's share of the bounds that apply to inboxes without a subscriber. */
    public void reconfigure(KeptSessionConfig bounds) {
        inboxes.reconfigure(bounds);
    }

    /** Returns the broker that orders the messages of the home's subjects. */
    public Broker broker() {
        return broker;
    }

    /** Returns the order of the home's messages, or null without history: then patterns have no positions. */
    public @Nullable LogOrder order() {
        return patterns.order();
    }

    // ---- subjects ----

    @Override
    public void onCreated(int subject) {
        broker.onCreated(subject);
    }

    @Override
    public boolean keeps(int subject) {
        return !broker.history().isEmpty(subject) || broker.retained().has(subject) || inboxes.keeps(subject);
    }

    @Override
    public void onForgotten(int subject) {
        broker.onForgotten(subject);
    }

    // ---- publishes and messages ----

    @Override
    public void publish(SubjectKey subject, Publication publication) {
        int id = subjects.find(subject);
        if (id == SubjectTable.NONE) {
            Code refusal = refusalOfNew(subject);
            if (refusal != null) {
                calls.edge(publication.edge())
                        .refused(publication.session(), publication.commandId(), refusal, refusal.sentence(), subject);
                return;
            }
            id = subjects.add(subject);
        }
        messageKey.set(subject.buffer(), 0, subject.length());
        // A delivery may end the subject's last session; without history the subject would then be removed during this
        // call.
        boolean keeps = broker.history().keeps();
        if (!keeps) {
            subjects.pin(id);
        }
        publishing = id;
        try {
            if (isPermitted(id, publication)) {
                broker.publish(id, subject, publication, turn.nowMillis());
            }
        } finally {
            publishing = SubjectTable.NONE;
            if (!keeps) {
                subjects.unpin(id);
            } else if (broker.history().isEmpty(id)) {
                subjects.forgetIfUnused(id);
            }
        }
    }

    /** Returns why a publish cannot create a subject, or null. Only subscriptions create inboxes, in a cluster at any node. */
    private @Nullable Code refusalOfNew(SubjectKey subject) {
        if (limits.hasAllSubjects()) {
            return Code.SUBJECTS_FULL;
        }
        return ReplyInboxes.isInbox(subject.bytes(), subject.length()) && !broker.isShared() ? Code.NO_INBOX : null;
    }

    /**
     * Publishes a message to a presence subject. The subject exists whatever {@code Limit.Subjects} is, because followers would
     * miss a change otherwise; its members bound it.
     */
    public void publishPresence(SubjectKey subject, byte[] data) {
        int id = subjects.findOrAdd(subject);
        messageKey.set(subject.buffer(), 0, subject.length());
        subjects.pin(id);
        publishing = id;
        try {
            ofPresence
                    .from(calls.index(), Publication.NO_SESSION, CommandHandler.NO_ID, turn.nowNanos())
                    .content(Unpooled.wrappedBuffer(data), 0, data.length, 0, 0, false);
            broker.publish(id, subject, ofPresence, turn.nowMillis());
        } finally {
            publishing = SubjectTable.NONE;
            subjects.unpin(id);
        }
    }

    /** Applies the subject's options to the publication; returns false if they refuse it. */
    private boolean isPermitted(int id, Publication publication) {
        SubjectOptions of = options.of(id);
        boolean clears = publication.dataLength() == 0;
        if (publication.retain() && !clears && of.retained() == SubjectOptions.Retention.REFUSED) {
            onRefused(id, publication, Code.RETAIN_DENIED, Code.RETAIN_DENIED.sentence());
            return false;
        }
        if (of.retained() == SubjectOptions.Retention.REQUIRED && !clears) {
            publication.retain(true);
        }
        if (!serverHeaders.add(publication, of.publisher())) {
            onRefused(id, publication, Code.BAD_HEADERS, "the headers leave no room for those of the server");
            return false;
        }
        return true;
    }

    @Override
    public void onAccepted(Publication publication, long seq) {
        if (publication.commandId() != CommandHandler.NO_ID) {
            calls.edge(publication.edge())
                    .published(publication.session(), publication.commandId(), broker.epoch(), seq);
        }
    }

    @Override
    public void onRefused(int subject, Publication publication, Code code, String reason) {
        if (subject != publishing) {
            messageKey.set(subjects.table(), subject);
        }
        members.onRefused(messageKey, publication);
        calls.edge(publication.edge())
                .refused(publication.session(), publication.commandId(), code, reason, messageKey);
    }

    @Override
    public void onTakenBack(int subject) {
        subjects.forgetIfUnused(subject);
    }

    @Override
    public boolean isFollowed(SubjectKey subject) {
        int id = subjects.find(subject);
        return id != SubjectTable.NONE && subjects.hasSubscribers(id);
    }

    @Override
    public void onFollowedElsewhere(SubjectKey subject, boolean now) {
        watchers.onElsewhere(subject, now, isFollowed(subject));
    }

    @Override
    public @Nullable MemberEvents members() {
        return members.shared();
    }

    @Override
    public void onStale(boolean stale) {
        this.stale.accept(stale);
    }

    @Override
    public void onMessage(int subject, MessageView message, long receivedNanos) {
        if (subject != publishing) {
            messageKey.set(subjects.table(), subject);
        }
        message.subject(messageKey.buffer(), 0, messageKey.length());
        long lanes = subjects.interest(subject) | patterns.lanes(messageKey);
        Objects.requireNonNull(localEdge).deliver(calls.index(), subject, messageKey, message, receivedNanos);
        for (long rest = lanes & ~(1L << calls.index()); rest != 0; rest &= rest - 1) {
            calls.edge(Long.numberOfTrailingZeros(rest)).deliver(calls.index(), messageKey, message, receivedNanos);
        }
    }

    @Override
    public void join(
            int edge,
            long session,
            int ticket,
            long commandId,
            SubjectKey subject,
            @Nullable Position from,
            int history,
            boolean follow) {
        int id = subjects.findOrAdd(subject);
        // After the answer the subject may be unused.
        subjects.pin(id);
        try {
            if (follow) {
                noteInterest(edge, subject, id);
            }
            if (from != null && isAhead(id, from)) {
                lateJoins.await(edge, session, ticket, commandId, subject, from);
            } else {
                answers.answer(calls.edge(edge), session, ticket, commandId, subject, id, from, history);
            }
        } finally {
            subjects.unpin(id);
        }
    }

    /** Returns whether the client's position is ahead of this node, which may reach it soon. */
    private boolean isAhead(int id, Position from) {
        return broker.isShared()
                && from.epoch() == broker.epoch()
                && from.seq() > broker.seq(id)
                && !lateJoins.isLate();
    }

    @Override
    public void follow(int edge, SubjectKey subject) {
        noteInterest(edge, subject, subjects.findOrAdd(subject));
    }

    private void noteInterest(int edge, SubjectKey subject, int id) {
        if (edge != calls.index()) {
            boolean first = !subjects.hasSubscribers(id);
            subjects.setInterest(id, edge, true);
            watchers.onSubscribers(subject, first);
        } else {
            watchers.onSubscribers(subject, subjects.followers(id) == 1 && subjects.interest(id) == 0);
        }
    }

    @Override
    public void read(
            int edge,
            long session,
            int ticket,
            SubjectKey subject,
            long afterSeq,
            MessageType type,
            CatchUpBounds cut) {
        int id = subjects.findOrAdd(subject);
        // A gap may end the session, and with it the reason to keep the subject.
        subjects.pin(id);
        try {
            ToEdge answer = calls.edge(edge);
            boolean lagging = type == MessageType.LIVE;
            Remainder left =
                    new Remainder(broker.history()).of(id, afterSeq, broker.seq(id), cut, lagging, turn.nowMillis());
            long after = left.after();
            if (after > afterSeq) {
                boolean ofMembers = MemberSnapshots.isPresence(subject);
                after = ofMembers ? broker.seq(id) : after;
                long epoch = broker.epoch();
                Position from = new Position(epoch, afterSeq);
                answer.gap(session, ticket, subject, from, new Position(epoch, after), left.reason());
                if (ofMembers) {
                    members.show(answer, session, ticket, subject, after);
                }
            }
            reader.readOn(answer, session, ticket, subject, id, after, type, false);
        } finally {
            subjects.unpin(id);
        }
    }

    @Override
    public void leave(int edge, SubjectKey subject) {
        int id = subjects.find(subject);
        if (id == SubjectTable.NONE) {
            return;
        }
        if (edge != calls.index()) {
            subjects.setInterest(id, edge, false);
        }
        watchers.onNoSubscribers(subject, !subjects.hasSubscribers(id));
        subjects.forgetIfUnused(id);
    }

    @Override
    public void joinPattern(int edge, byte[] pattern) {
        patterns.join(edge, pattern);
    }

    @Override
    public void readPattern(int edge, long session, int ticket, byte[] pattern, long cursor) {
        patterns.readRetained(edge, session, ticket, pattern, cursor);
    }

    @Override
    public void readPatternLog(int edge, long session, int ticket, byte[] pattern, long[] from, long cursor) {
        patterns.readLog(edge, session, ticket, pattern, from, cursor);
    }

    /** Removes retained messages that are not delivered any more, except in a cluster, whose log decides. Called periodically. */
    public void sweepRetained() {
        if (!broker.isShared()) {
            lifetime.sweep(broker.retained(), past, subjects::forgetIfUnused);
        }
    }

    /** Reports to the edges with patterns how far the home has delivered its messages. Called periodically. */
    public void reportDelivered() {
        patterns.reportDelivered();
    }

    @Override
    public void leavePattern(int edge, byte[] pattern) {
        patterns.leave(edge, pattern);
    }

    @Override
    public void watch(int edge, long session, long commandId, SubjectKey subject) {
        watchers.add(edge, session, subject);
        boolean subscribers = isFollowed(subject) || broker.isFollowedElsewhere(subject);
        if (commandId != CommandHandler.NO_ID) {
            calls.edge(edge).interest(session, commandId, subject, subscribers);
        }
    }

    @Override
    public void unwatch(int edge, long session, SubjectKey subject) {
        watchers.remove(edge, session, subject);
    }
}
