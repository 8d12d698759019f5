package io.belfry.server.delivery;

import io.belfry.protocol.Code;
import io.belfry.protocol.WireFormat;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.session.UnsharedOutbound;
import io.belfry.server.turn.Clock;
import org.jspecify.annotations.Nullable;

/** The encoders of events for all sessions of a lane, one for each wire format. Owner: the lane's loop. */
public final class LaneReplies {
    private final FanOut fanOut;
    private final NodeFacts facts;
    private final Clock clock;
    private final int lane;
    private final LoopCounters counters;

    /** The encoders by the ids of their formats; only formats of sessions of this lane have one. */
    private final WireReplies[] replies = new WireReplies[WireFormat.IDS];

    public LaneReplies(FanOut fanOut, NodeFacts facts, Clock clock, int lane, LoopCounters counters) {
        this.fanOut = fanOut;
        this.facts = facts;
        this.clock = clock;
        this.lane = lane;
        this.counters = counters;
    }

    /** Makes room for a format; called before a session of this format is opened. */
    public void open(WireFormat format) {
        fanOut.open(format);
        if (replies[format.id()] == null) {
            replies[format.id()] = new WireReplies(format, fanOut, facts, clock, lane);
        }
    }

    /** Returns the wire format of a session that has a shared one. */
    public WireFormat format(Session session) {
        return replies[session.format()].format();
    }

    /** Returns the encoder of the session's events. */
    public Replies of(Session session) {
        return session.isShared() ? replies[session.format()] : ((UnsharedOutbound) session.outbound()).replies();
    }

    /**
     * Gives the session the earlier messages that it has not got yet, before its subscriptions or places are read or changed.
     * Returns false if the session is closed.
     */
    public boolean complete(Session session) {
        return fanOut.complete(session);
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
            if (each != null) {
                each.release();
            }
        }
    }
}
