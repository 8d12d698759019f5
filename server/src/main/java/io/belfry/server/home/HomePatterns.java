package io.belfry.server.home;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Subjects;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.LaneOrder;
import io.belfry.server.broker.LogOrder;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.ToEdge;
import io.belfry.server.handoff.ToHome;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.WildcardIndex;
import io.belfry.server.turn.Turn;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The patterns of all edges at one home: which edges they interest, and the reading of retained and past messages for
 * them. Owner: the lane's loop.
 */
final class HomePatterns {
    /** Retained messages examined for a pattern in one read, which takes some ten microseconds. */
    private static final int READ_VISITS = 512;

    private static final long[] NO_PLACES = {};

    private final LaneCalls calls;
    private final LaneSubjects subjects;
    private final Broker broker;
    private final Lifetime lifetime;
    private final SubjectKey key;
    private final MessageView view = new MessageView();
    private final WildcardIndex<Integer> index = new WildcardIndex<>();

    /** The number of patterns of each edge. */
    private final int[] patternsOf;

    private final @Nullable LogOrder order;
    private final @Nullable PatternReader reader;
    private long matchedLanes;

    HomePatterns(
            Turn turn,
            LaneCalls calls,
            LaneSubjects subjects,
            LoopCounters counters,
            Broker broker,
            Lifetime lifetime,
            long seed,
            int generation) {
        this.calls = calls;
        this.subjects = subjects;
        this.broker = broker;
        this.lifetime = lifetime;
        key = new SubjectKey(seed);
        patternsOf = new int[calls.lanes()];
        order = order(broker, calls, generation);
        reader = order == null ? null : new PatternReader(turn, calls, subjects, counters, broker, lifetime, order);
    }

    private static @Nullable LogOrder order(Broker broker, LaneCalls calls, int generation) {
        if (!broker.history().keeps()) {
            return null;
        }
        LogOrder shared = broker.order();
        return shared != null ? shared : new LaneOrder(broker.history(), calls.index(), calls.lanes(), generation);
    }

    /** Returns the order of the home's messages, or null without history: then patterns have no positions. */
    @Nullable
    LogOrder order() {
        return order;
    }

    void join(int edge, byte[] pattern) {
        index.add(pattern, edge);
        patternsOf[edge]++;
    }

    void leave(int edge, byte[] pattern) {
        index.remove(pattern, edge);
        patternsOf[edge]--;
    }

    /** Returns the lanes with a pattern that matches the subject, as bits. */
    long lanes(SubjectKey subject) {
        if (index.isEmpty()) {
            return 0;
        }
        matchedLanes = 0;
        index.match(subject.bytes(), subject.length(), lane -> matchedLanes |= 1L << lane);
        return matchedLanes;
    }

    void readRetained(int edge, long session, int ticket, byte[] pattern, long cursor) {
        ToEdge answer = calls.edge(edge);
        int[] bytes = new int[1];
        long next = broker.retained().readAfter(cursor, READ_VISITS, id -> {
            key.set(subjects.table(), id);
            if (Subjects.matches(pattern, key.bytes(), key.length())) {
                view.subject(key.buffer(), 0, key.length())
                        .type(MessageType.SNAPSHOT)
                        .prev(MessageView.NO_PREV);
                if (!lifetime.show(broker.retained(), id, view)) {
                    return true;
                }
                int size = view.contentLength() + view.subjectLength();
                bytes[0] += size;
                answer.patternSnapshot(calls.index(), session, ticket, pattern, view);
                return bytes[0] + size <= ToHome.READ_BYTES;
            }
            return true;
        });
        long[] ends = next == Retained.END && order != null ? order.ends() : NO_PLACES;
        answer.patternRead(calls.index(), session, ticket, pattern, next, ends);
    }

    void readLog(int edge, long session, int ticket, byte[] pattern, long[] from, long cursor) {
        Objects.requireNonNull(reader).read(edge, session, ticket, pattern, from, cursor);
    }

    /** Reports to the edges with patterns how far the home has delivered its messages. */
    void reportDelivered() {
        LogOrder reported = order;
        if (reported == null || index.isEmpty()) {
            return;
        }
        Runnable read = reported.readSoFar();
        broker.behindMessages(() -> {
            read.run();
            long[] ends = reported.ends();
            for (int edge = 0; edge < patternsOf.length; edge++) {
                if (patternsOf[edge] > 0) {
                    calls.edge(edge).delivered(calls.index(), ends);
                }
            }
        });
    }
}
