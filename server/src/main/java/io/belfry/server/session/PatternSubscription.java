package io.belfry.server.session;

import io.belfry.protocol.Subjects;

/**
 * One session's subscription to a pattern. Owner: the session's lane.
 *
 * <p>The lanes are asked one after the other for their retained messages that match, and each for a piece at a time: this is
 * the cursor. A lane's live messages are accepted from the moment it has no more: what came before could be older than the
 * snapshots it still sends, and is in them if it was retained.
 */
public final class PatternSubscription {
    private final Session session;
    private final byte[] pattern;
    private final long commandId;
    private final int ticket;
    private final int conflateMillis;
    private final int lanes;
    private final int firstLane;
    private int confirmed;
    private long cursor;
    private int pieceBytes;
    private boolean reading;

    /** {@code firstLane} is asked first, then those after it. */
    public PatternSubscription(
            Session session, byte[] pattern, long commandId, int ticket, int conflateMillis, int lanes, int firstLane) {
        this.session = session;
        this.pattern = pattern.clone();
        this.ticket = ticket;
        this.conflateMillis = conflateMillis;
        this.commandId = commandId;
        this.lanes = lanes;
        this.firstLane = firstLane;
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

    /** The lane that is asked, while not all have confirmed. */
    public int lane() {
        return (firstLane + confirmed) % lanes;
    }

    /** Where that lane reads on. */
    public long cursor() {
        return cursor;
    }

    /** Whether that lane's answer is on its way. */
    public boolean isReading() {
        return reading;
    }

    public void onAsked() {
        reading = true;
    }

    public void onSnapshot(int bytes) {
        pieceBytes += bytes;
    }

    /** The lane has more after this cursor. */
    public void onMore(long next) {
        reading = false;
        cursor = next;
    }

    /** The lane has no more, and what it delivers is accepted from here on. */
    public void onConfirmed() {
        reading = false;
        cursor = 0;
        confirmed++;
    }

    /** Bytes of snapshots since this was asked last. */
    public int pieceBytes() {
        return pieceBytes;
    }

    public void onWritten() {
        pieceBytes = 0;
    }

    public boolean isConfirmed() {
        return confirmed == lanes;
    }

    public boolean isConfirmedBy(int lane) {
        return Math.floorMod(lane - firstLane, lanes) < confirmed;
    }
}
