package io.belfry.server.session;

import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.Subjects;
import java.util.Arrays;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One session's subscription to a pattern. Owner: the session's lane.
 *
 * <p>The session's lane requests the retained messages that match from one lane after the other, in pieces; this object is the cursor. A
 * lane's live messages are accepted from the moment it has no more retained ones: an earlier live message could be older
 * than the snapshots still to come, and is among them if it was retained. A subscription that resumes from a position reads
 * the lanes' messages after it instead, in the same way.
 *
 * <p>Places are given as an array, one for each log of the node.
 */
public final class PatternSubscription implements PatternGroup.Member {
    /** The place in a log that has no messages in the lane concerned. */
    public static final long NOT_HERE = Long.MAX_VALUE;

    /** Bytes of past messages after which the client gets the position that the reading has reached. */
    private static final int PROGRESS_BYTES = 8192;

    /** Answers of lanes after which the client gets that position, even if few messages matched. */
    private static final int PROGRESS_ANSWERS = 8;

    private final Session session;
    private final PatternGroup<PatternSubscription> group;
    private final byte[] pattern;
    private final long commandId;
    private final int ticket;
    private final int conflateMillis;
    private final int lanes;
    private final int firstLane;
    private final long @Nullable [] from;

    /** The places from which on messages have been delivered, as far as lanes have confirmed; null without history. */
    private long @Nullable [] start;

    /** The lowest places that the lanes had reached when they confirmed; null without history, and after the first use. */
    private long @Nullable [] reached;

    private int confirmed;
    private int confirmedRound;
    private @Nullable PatternPosition position;
    private int index;
    private int place;
    private long lastMessage;
    private boolean resuming;
    private boolean gap;
    private boolean active;
    private long cursor;
    private int pieceBytes;
    private int unreportedBytes;
    private int unreportedAnswers;
    private boolean reading;

    /**
     * Creates a subscription that asks {@code firstLane} first, then the following lanes.
     *
     * @param group the subscriptions to this pattern, to which the caller adds it
     * @param from the places after which messages are read, or null to begin with the retained messages
     */
    public PatternSubscription(
            Session session,
            PatternGroup<PatternSubscription> group,
            byte[] pattern,
            long commandId,
            int ticket,
            int conflateMillis,
            int lanes,
            int firstLane,
            long @Nullable [] from) {
        this.session = session;
        this.group = group;
        this.pattern = pattern.clone();
        this.ticket = ticket;
        this.conflateMillis = conflateMillis;
        this.commandId = commandId;
        this.lanes = lanes;
        this.firstLane = firstLane;
        this.from = from;
        start = from;
    }

    /** Returns the places after which messages are read, or null if the subscription began with the retained messages. */
    public long @Nullable [] from() {
        return from;
    }

    public Session session() {
        return session;
    }

    /** Returns the subscriptions of the lane's sessions to this pattern. */
    public PatternGroup<PatternSubscription> group() {
        return group;
    }

    @Override
    public boolean isConflating() {
        return conflateMillis > 0;
    }

    @Override
    public int place() {
        return place;
    }

    @Override
    public void place(int place) {
        this.place = place;
    }

    /** Records that the session gets the message of this number; returns false if that was recorded before. */
    public boolean takes(long message) {
        boolean first = lastMessage != message;
        lastMessage = message;
        return first;
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
        unreportedBytes += bytes;
    }

    /** Called when the lane has more after this cursor. */
    public void onMore(long next) {
        reading = false;
        cursor = next;
    }

    /** Called when the lane has no more; its live messages are accepted from now on, from these places on. */
    public void onConfirmed(long[] ends) {
        reading = false;
        cursor = 0;
        confirmed++;
        if (ends.length > 0) {
            reached = reached == null ? ends.clone() : merged(reached, ends, Math::min);
            if (from == null) {
                start = start == null ? ends.clone() : merged(start, ends, PatternSubscription::later);
            }
        }
    }

    private static long[] merged(long[] to, long[] from, LongBinaryOperator which) {
        Arrays.setAll(to, log -> which.applyAsLong(to[log], from[log]));
        return to;
    }

    private static long later(long a, long b) {
        if (a == NOT_HERE) {
            return b;
        }
        return b == NOT_HERE ? a : Math.max(a, b);
    }

    /**
     * Returns the places up to which a subscription that resumes has read, if its client should get them now, else null. A client
     * whose connection is lost continues there instead of at its first position. {@code places} are those of the answer that
     * was received last. A log is either in one lane or in all of them; in the second case the last lane decides.
     */
    public long @Nullable [] takeProgress(long[] places) {
        unreportedAnswers++;
        long[] first = from;
        boolean due = unreportedBytes >= PROGRESS_BYTES || unreportedAnswers >= PROGRESS_ANSWERS;
        if (first == null || !due) {
            return null;
        }
        boolean shared = lanes > 1 && Arrays.stream(places).noneMatch(place -> place == NOT_HERE);
        if (shared && confirmed < lanes - 1) {
            return null;
        }
        unreportedBytes = 0;
        unreportedAnswers = 0;
        long[] progress = reached == null ? places.clone() : merged(places.clone(), reached, Math::min);
        Arrays.setAll(progress, log -> progress[log] == NOT_HERE ? first[log] : progress[log]);
        return progress;
    }

    /** Returns the position that the lanes had reached when they confirmed, once; null without history. */
    public long @Nullable [] takeReached() {
        long[] taken = reached;
        reached = null;
        return taken;
    }

    /** Returns whether the subscription has delivered the message at this place, if its lane has confirmed. */
    public boolean isAfterStart(int log, long place) {
        return start != null && place >= start[log];
    }

    /** Called before the first read if the client gave a position. */
    public void resuming() {
        resuming = true;
    }

    /** Returns the result of resuming, after all lanes have confirmed. */
    public Recovery recovery() {
        if (!resuming) {
            return Recovery.NONE;
        }
        return gap ? Recovery.GAP : Recovery.COMPLETE;
    }

    /** Records that messages after the position are gone; returns whether this is the first report. */
    public boolean onGap() {
        boolean first = !gap;
        gap = true;
        return first;
    }

    /** Records a live delivery; returns whether it is the first one since {@link #onReported}. */
    public boolean onDelivered() {
        boolean first = !active;
        active = true;
        return first;
    }

    /** Called when the session gets a position. */
    public void onReported() {
        active = false;
    }

    /** Records that the session gets this position; returns false if it has it already. */
    public boolean onPosition(PatternPosition next) {
        boolean first = position == null || !position.equals(next);
        position = next;
        return first;
    }

    /** Returns the index in the list of the lane's subscriptions. */
    public int index() {
        return index;
    }

    public void index(int index) {
        this.index = index;
    }

    /** Returns the round of reports in which the last lane confirmed. */
    public int confirmedRound() {
        return confirmedRound;
    }

    public void confirmedRound(int round) {
        confirmedRound = round;
    }

    /** Returns the bytes of past messages since {@link #onWritten}. */
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
