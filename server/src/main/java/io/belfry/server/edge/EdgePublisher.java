package io.belfry.server.edge;

import io.belfry.protocol.PublishRequest;
import io.belfry.server.broker.Publication;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.handoff.LaneBacklog;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.session.PublishRouting;
import io.belfry.server.session.Session;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.trace.TraceContext;
import io.belfry.server.turn.Turn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Passes publishes to the homes of their subjects, and stops reading from publishers while a home is behind. Owner: the
 * lane's loop.
 */
public final class EdgePublisher implements PublishRouting {
    private final Turn turn;
    private final LaneCalls calls;
    private final LoopCounters counters;
    private final Publication publication = new Publication();
    private final List<Session> paused = new ArrayList<>();
    private LaneBacklog[] backlogs = {};

    public EdgePublisher(Turn turn, LaneCalls calls, LoopCounters counters) {
        this.turn = turn;
        this.calls = calls;
        this.counters = counters;
    }

    /** Sets the backlogs of all lanes, before the first turn. */
    public void connect(List<LaneBacklog> all) {
        backlogs = all.toArray(LaneBacklog[]::new);
    }

    /** Sets the span of the publishes that follow, or null. */
    public void trace(@Nullable TraceContext context) {
        publication.trace(context);
    }

    @Override
    public void publish(Session session, SubjectKey subject, PublishRequest request) {
        publication
                .from(calls.index(), session.reference(), request.id(), turn.nowNanos())
                .content(
                        request.buffer(),
                        request.dataOffset(),
                        request.dataLength(),
                        request.msgIdOffset(),
                        request.msgIdLength(),
                        request.retain());
        int home = calls.homeOf(subject);
        calls.home(home).publish(subject, publication);
        if (backlogs[home].isBehind()) {
            pause(session);
        }
    }

    /** Pauses the publisher until the congested lanes have processed their input. */
    private void pause(Session session) {
        if (!paused.contains(session)) {
            paused.add(session);
            counters.increment(Counter.PUBLISH_PAUSES);
            session.outbound().pauseReading();
        }
    }

    /** Reads from all publishers again if no lane is behind. */
    public void resumePaused() {
        for (LaneBacklog each : backlogs) {
            if (each.isBehind()) {
                return;
            }
        }
        paused.forEach(session -> session.outbound().resumeReading());
        paused.clear();
    }
}
