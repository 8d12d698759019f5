package io.belfry.server.session;

import io.belfry.protocol.Subjects;

/**
 * One session's subscription to a pattern. Owner: the session's lane.
 *
 * <p>The lanes are asked one after the other, in pieces, for their retained messages that match; this object is the cursor. A
 * lane's live messages are accepted from the moment it has no more retained ones: an earlier live message could be older
 * than the snapshots still to come, and is among them if it was retained.
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

    /** Creates a subscription that asks {@code firstLane} first, then the following lanes. */
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

    /** Returns the minimum time between two messages of a subject, of which the latest is delivered; 0 delivers all. */
    public int conflateMillis() {
        return conflateMillis;
    }

    public boolean matches(byte[] subject) {
        return Subjects.matches(pattern, subject);
    }

    /** Returns a number that distinguishes this subscription from all earlier ones on the lane, to detect late answers. */
    public int ticket() {
        return ticket;
    }

    public long commandId() {
        return commandId;
    }

    /** Returns the lane that is being asked, until all have answered. */
    public int lane() {
        return (firstLane + confirmed) % lanes;
    }

    /** Returns the position from which that lane continues. */
    public long cursor() {
        return cursor;
    }

    /** Returns whether that lane's answer is pending. */
    public boolean isReading() {
        return reading;
    }

    public void onAsked() {
        reading = true;
    }

    public void onSnapshot(int bytes) {
        pieceBytes += bytes;
    }

    /** Called when the lane has more after this cursor. */
    public void onMore(long next) {
        reading = false;
        cursor = next;
    }

    /** Called when the lane has no more; its live messages are accepted from now on. */
    public void onConfirmed() {
        reading = false;
        cursor = 0;
        confirmed++;
    }

    /** Returns the bytes of snapshots since the last call. */
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
