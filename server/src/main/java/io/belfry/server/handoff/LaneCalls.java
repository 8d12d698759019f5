package io.belfry.server.handoff;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.subject.SubjectHomes;
import io.belfry.server.subject.SubjectKey;
import java.util.List;

/**
 * The calls of one lane to the homes and edges of all lanes: plain calls on the same lane, and a batch of calls for each other
 * lane that is passed on at the end of the turn. Owner: the lane's loop.
 */
public final class LaneCalls {
    private final int index;
    private final int lanes;
    private final SubjectHomes subjectHomes;
    private final LoopCounters counters;
    private final Handoff[] handoffs;
    private final ToHome[] homes;
    private final ToEdge[] edges;
    private Inbox[] inboxes = {};

    public LaneCalls(int index, SubjectHomes subjectHomes, LoopCounters counters) {
        this.index = index;
        this.subjectHomes = subjectHomes;
        this.counters = counters;
        lanes = subjectHomes.lanes();
        handoffs = new Handoff[lanes];
        homes = new ToHome[lanes];
        edges = new ToEdge[lanes];
        for (int i = 0; i < lanes; i++) {
            handoffs[i] = new Handoff();
            homes[i] = handoffs[i];
            edges[i] = handoffs[i];
        }
    }

    /** Sets the receivers on this lane, before the first turn. */
    public void connect(ToHome home, ToEdge edge) {
        homes[index] = home;
        edges[index] = edge;
    }

    /** Sets the inboxes of all lanes, before the first turn. */
    public void connect(List<Inbox> all) {
        inboxes = all.toArray(Inbox[]::new);
    }

    /** Returns the index of this lane. */
    public int index() {
        return index;
    }

    /** Returns the number of lanes. */
    public int lanes() {
        return lanes;
    }

    /** Returns the index of the lane that is the subject's home. */
    public int homeOf(SubjectKey subject) {
        return subjectHomes.of(subject);
    }

    /** Makes this lane the home of a subject, if no lane is yet. */
    public void becomeHome(SubjectKey subject) {
        subjectHomes.near(subject, index);
    }

    /** Returns the index of the lane that serves a name which is not a subject. */
    public int laneOf(SubjectKey name) {
        return name.home(lanes);
    }

    public ToHome home(int lane) {
        return homes[lane];
    }

    /** Returns the subject's home. */
    public ToHome home(SubjectKey subject) {
        return homes[homeOf(subject)];
    }

    /** Returns a home whose calls run after the current call, for calls that would otherwise recurse. */
    public ToHome homeLater(int lane) {
        return handoffs[lane];
    }

    public ToEdge edge(int lane) {
        return edges[lane];
    }

    /** Passes each lane the calls of this turn. */
    public void send() {
        for (int i = 0; i < handoffs.length; i++) {
            if (!handoffs[i].isEmpty()) {
                counters.increment(Counter.LOOP_BATCHES);
                counters.add(Counter.LOOP_CALLS, handoffs[i].calls());
                inboxes[i].offer(handoffs[i].take());
            }
        }
    }

    /** Releases calls that no lane will receive any more. */
    public void release() {
        for (Handoff each : handoffs) {
            each.release();
        }
    }
}
