package io.belfry.server.edge;

import io.belfry.protocol.PublishRequest;
import io.belfry.server.broker.Publication;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.handoff.LaneBacklog;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.session.PublishRouting;
import io.belfry.server.session.Session;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.trace.TraceContext;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Turn;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Passes publishes to the homes of their subjects, and stops reading from publishers while a home is behind. Owner: the
 * lane's loop.
 */
public final class EdgePublisher implements PublishRouting {
    private final Turn turn;
    private final LongWork work;
    private final LaneCalls calls;
    private final LoopCounters counters;
    private final LaneOptions options;
    private final Publication publication = new Publication();
    private final Set<Session> paused = new LinkedHashSet<>();
    private boolean resuming;
    private LaneBacklog[] backlogs = {};

    public EdgePublisher(Turn turn, LongWork work, LaneCalls calls, LaneOptions options, LoopCounters counters) {
        this.turn = turn;
        this.work = work;
        this.calls = calls;
        this.options = options;
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
                        request.retain())
                .headers(request.headersOffset(), request.headersLength())
                .terms(request.ttlMillis(), options.showsPublishers() ? nameOf(session) : null, request.originTag());
        int home = calls.homeOf(subject);
        calls.home(home).publish(subject, publication);
        if (backlogs[home].isBehind()) {
            pause(session);
        }
    }

    private static byte @Nullable [] nameOf(Session session) {
        String user = session.principal().user();
        return user == null ? null : user.getBytes(StandardCharsets.UTF_8);
    }

    /** Pauses the publisher until the congested lanes have processed their input. */
    private void pause(Session session) {
        if (paused.add(session)) {
            counters.increment(Counter.PUBLISH_PAUSES);
            session.outbound().pauseReading();
        }
    }

    /** Reads from the publishers again, one after the other, while no lane is behind. */
    public void resumePaused() {
        if (!resuming && mayResume()) {
            resuming = true;
            work.begin(() -> {
                if (mayResume()) {
                    Iterator<Session> first = paused.iterator();
                    Session session = first.next();
                    first.remove();
                    session.outbound().resumeReading();
                }
                resuming = mayResume();
                return resuming;
            });
        }
    }

    private boolean mayResume() {
        if (paused.isEmpty()) {
            return false;
        }
        for (LaneBacklog each : backlogs) {
            if (each.isBehind()) {
                return false;
            }
        }
        return true;
    }
}
