package io.belfry.server.session;

import io.belfry.protocol.Subjects;

/**
 * One session's subscription to a pattern. Owner: the session's lane. Each lane's subjects are accepted from the moment
 * that lane has confirmed it: what comes before could be older than the snapshots it sends with the confirmation.
 */
public final class PatternSubscription {
    private final Session session;
    private final byte[] pattern;
    private final long commandId;
    private final int ticket;
    private final int conflateMillis;
    private long confirmedLanes;
    private int awaited;

    public PatternSubscription(
            Session session, byte[] pattern, long commandId, int ticket, int conflateMillis, int lanes) {
        this.session = session;
        this.pattern = pattern.clone();
        this.ticket = ticket;
        this.conflateMillis = conflateMillis;
        this.commandId = commandId;
        this.awaited = lanes;
    }

    public Session session() {
        return session;
    }

    public byte[] pattern() {
        return pattern.clone();
    }

    /** Of each subject at most one message in this time, the latest; 0 = all. */
    public int conflateMillis() {
        return conflateMillis;
    }

    public boolean matches(byte[] subject) {
        return Subjects.matches(pattern, subject);
    }

    /** Names this subscription among all there ever were on the lane, so that a late answer to another is known. */
    public int ticket() {
        return ticket;
    }

    public long commandId() {
        return commandId;
    }

    /** Answers whether this was the last lane awaited. */
    public boolean confirm(int lane) {
        confirmedLanes |= 1L << lane;
        return --awaited == 0;
    }

    public boolean isConfirmed() {
        return awaited == 0;
    }

    public boolean isConfirmedBy(int lane) {
        return (confirmedLanes & 1L << lane) != 0;
    }
}
