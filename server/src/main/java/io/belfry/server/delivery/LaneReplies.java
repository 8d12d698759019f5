package io.belfry.server.delivery;

import io.belfry.protocol.Code;
import io.belfry.protocol.WireFormat;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.session.UnsharedOutbound;
import io.belfry.server.turn.Clock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The encoders of events for all sessions of a lane, one for each wire format. Owner: the lane's loop. */
public final class LaneReplies {
    private final LoopCounters counters;
    private final WireReplies[] replies = new WireReplies[WireFormat.values().length];

    public LaneReplies(FanOut fanOut, NodeFacts facts, Clock clock, int lane, LoopCounters counters) {
        this.counters = counters;
        Arrays.setAll(replies, i -> new WireReplies(WireFormat.values()[i], fanOut, facts, clock, lane));
    }

    /** Returns the encoder of the session's events. */
    public Replies of(Session session) {
        return session.isShared() ? replies[session.format()] : ((UnsharedOutbound) session.outbound()).replies();
    }

    /** Declares the epoch to a session with a binary wire format; the first event of its connection. */
    public void epoch(Session session) {
        replies[session.format()].epoch(session);
    }

    /** Counts and answers a refused command. */
    public void refuse(Session session, long id, Code code, String reason, byte @Nullable [] subject) {
        refuse(session, id, code, reason, subject, 0);
    }

    /** Counts and answers a refused command; {@code afterMillis} is the time after which a retry may succeed, or 0. */
    public void refuse(
            Session session, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        counters.refused(code);
        of(session).error(session, id, code, reason, subject, afterMillis);
    }

    /** Frees the memory outside the heap. */
    public void release() {
        for (WireReplies each : replies) {
            each.release();
        }
    }
}
