package io.belfry.client;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import org.jspecify.annotations.Nullable;

/**
 * Follows the positions of one subject for one subscription: drops what was delivered already and finds what is missing.
 * Two numbers do it. <i>Proven</i>: up to it nothing is missing that was not announced. <i>Seen</i>: the highest that was
 * delivered, lower than proven while history or recovered messages are still to come. Owner: the client's loop.
 */
final class Tracker {
    private static final long NONE = -1;

    enum Verdict {
        DELIVER,
        /** {@link #gapFrom} to {@link #gapTo} did not come. */
        DELIVER_AFTER_GAP,
        DROP
    }

    private final boolean conflating;
    private long epoch = NONE;
    private long proven = NONE;
    private long seen = NONE;
    private boolean historyComing;
    private @Nullable Position gapFrom;
    private @Nullable Position gapTo;

    /** Nothing is known yet. With {@code conflating} live messages may step over others, as was agreed. */
    Tracker(boolean conflating) {
        this.conflating = conflating;
    }

    /** Everything up to a position was seen. */
    Tracker(Position from, boolean conflating) {
        this.conflating = conflating;
        epoch = from.epoch();
        proven = from.seq();
        seen = from.seq();
    }

    /** {@code prev} as in {@link MessageView}. */
    Verdict message(MessageType type, long atEpoch, long seq, long prev) {
        gapFrom = null;
        gapTo = null;
        if (epoch != NONE && atEpoch == epoch && seq <= seen) {
            return Verdict.DROP;
        }
        if (type == MessageType.SNAPSHOT) {
            snapshot(atEpoch, seq);
            return Verdict.DELIVER;
        }
        historyComing = historyComing && type != MessageType.LIVE;
        long before = prev == MessageView.NO_PREV ? seq - 1 : prev;
        boolean agreed = conflating && type == MessageType.LIVE;
        boolean whole = proven == NONE || (atEpoch == epoch && (agreed || before <= proven));
        if (!whole) {
            gapFrom = new Position(epoch, proven);
            gapTo = new Position(atEpoch, Math.max(before, 0));
        }
        proven = atEpoch == epoch ? Math.max(proven, seq) : seq;
        seen = seq;
        epoch = atEpoch;
        return whole ? Verdict.DELIVER : Verdict.DELIVER_AFTER_GAP;
    }

    /** It stands outside the order: it is remembered so as not to come twice, and proves nothing. */
    private void snapshot(long atEpoch, long seq) {
        if (proven == NONE || atEpoch == epoch) {
            epoch = atEpoch;
            seen = seq;
        }
    }

    /** The server confirmed a plain subject. True: a gap from {@link #gapFrom} to {@link #gapTo} comes to light. */
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

    /** The server announced one; false when what it tells of has come already, and is not what was {@code takenBack}. */
    boolean gap(Position to, boolean takenBack) {
        if (to.epoch() == epoch && to.seq() <= proven) {
            return takenBack;
        }
        if (to.epoch() != epoch) {
            seen = NONE;
        }
        epoch = to.epoch();
        proven = to.seq();
        return true;
    }

    /** Where to go on from; null = nothing is known, or the history has to be asked for again. */
    @Nullable
    Position resumeFrom() {
        if (proven == NONE || (historyComing && seen == NONE)) {
            return null;
        }
        return new Position(epoch, historyComing && seen < proven ? seen : proven);
    }

    /** Whether everything up to a position has come or was announced. */
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
