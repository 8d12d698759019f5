package io.belfry.client;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the positions of one subject for one subscription; drops duplicates and detects gaps. Two numbers suffice.
 * <i>Proven</i>: up to this seq every message was delivered or announced as missing. <i>Seen</i>: the highest seq
 * delivered; it is lower than proven after a gap, and while history is still to arrive. Owner: the client's loop.
 */
final class Tracker {
    private static final long NONE = -1;

    enum Verdict {
        DELIVER,
        /** The messages from {@link #gapFrom} to {@link #gapTo} are missing. */
        DELIVER_AFTER_GAP,
        DROP
    }

    private final boolean conflating;
    private long epoch = NONE;
    private long proven = NONE;
    private long seen = NONE;

    /** The lowest seq delivered in this epoch. */
    private long first = NONE;

    private boolean historyComing;
    private @Nullable Position gapFrom;
    private @Nullable Position gapTo;

    /** Begins without a position. With {@code conflating}, live messages may skip others without a gap. */
    Tracker(boolean conflating) {
        this.conflating = conflating;
    }

    /** Begins at a position up to which everything was delivered. */
    Tracker(Position from, boolean conflating) {
        this.conflating = conflating;
        epoch = from.epoch();
        proven = from.seq();
        seen = from.seq();
    }

    /** Classifies a message; {@code prev} as in {@link MessageView}. */
    Verdict message(MessageType type, long atEpoch, long seq, long prev) {
        gapFrom = null;
        gapTo = null;
        boolean sameEpoch = epoch != NONE && atEpoch == epoch;
        if (sameEpoch && seq <= seen) {
            return Verdict.DROP;
        }
        if (type == MessageType.SNAPSHOT) {
            snapshot(atEpoch, seq);
            return Verdict.DELIVER;
        }
        historyComing = historyComing && sameEpoch && seq <= proven;
        if (sameEpoch && seq <= proven && !historyComing) {
            // It was announced as missing. A pattern that is resumed from an older position is sent it again.
            return Verdict.DROP;
        }
        long before = prev == MessageView.NO_PREV ? seq - 1 : prev;
        boolean agreed = conflating && type == MessageType.LIVE;
        boolean whole = proven == NONE || (atEpoch == epoch && (agreed || before <= proven));
        if (!whole) {
            gapFrom = new Position(epoch, proven);
            gapTo = new Position(atEpoch, Math.max(before, 0));
        }
        proven = atEpoch == epoch ? Math.max(proven, seq) : seq;
        first = atEpoch == epoch && first != NONE ? first : seq;
        seen = seq;
        epoch = atEpoch;
        return whole ? Verdict.DELIVER : Verdict.DELIVER_AFTER_GAP;
    }

    /** A snapshot is outside the order: it is recorded so that it is not delivered twice, and proves nothing. */
    private void snapshot(long atEpoch, long seq) {
        if (proven == NONE || atEpoch == epoch) {
            epoch = atEpoch;
            seen = seq;
        }
    }

    /**
     * Handles the confirmation of a plain subject. Returns true if there is a gap from {@link #gapFrom} to {@link
     * #gapTo}.
     */
    boolean subscribed(Position at, Recovery recovery, boolean historyAsked) {
        if (recovery != Recovery.NONE) {
            return false;
        }
        boolean known = proven != NONE;
        historyComing = historyAsked && at.seq() > 0;
        if (known && at.epoch() == epoch) {
            return false;
        }
        gapFrom = known ? new Position(epoch, proven) : null;
        gapTo = at;
        if (at.epoch() != epoch) {
            seen = NONE;
        }
        epoch = at.epoch();
        proven = at.seq();
        return known;
    }

    /**
     * Handles a gap announced by the server. Returns false for a range that was already delivered, unless the server
     * has {@code truncated} it since.
     */
    boolean gap(Position to, boolean truncated) {
        if (to.epoch() == epoch && to.seq() <= proven) {
            return truncated;
        }
        if (to.epoch() != epoch) {
            seen = NONE;
        }
        epoch = to.epoch();
        proven = to.seq();
        return true;
    }

    /** Returns the position to resume after; null if unknown, or if the history must be requested again. */
    @Nullable
    Position resumeFrom() {
        if (proven == NONE || (historyComing && seen == NONE)) {
            return null;
        }
        return new Position(epoch, historyComing && seen < proven ? seen : proven);
    }

    /**
     * Forgets up to which seq nothing is missing, because the server announced a gap of unknown subjects. Messages that were
     * delivered are still dropped.
     */
    void forgive() {
        proven = NONE;
    }

    /** Whether a message is older than all that were delivered, and not a duplicate of one. */
    boolean isBeforeFirst(long atEpoch, long seq) {
        return atEpoch == epoch && first != NONE && seq < first;
    }

    /** Whether everything up to a position was delivered or announced as missing. */
    boolean reached(Position at) {
        return epoch == at.epoch() && proven >= at.seq();
    }

    @Nullable
    Position gapFrom() {
        return gapFrom;
    }

    @Nullable
    Position gapTo() {
        return gapTo;
    }
}
