package io.belfry.server.home;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.server.config.SlowConsumerConfig.Policy;
import io.belfry.server.handoff.CatchUpBounds;
import io.belfry.server.history.History;

/**
 * Computes where a lagging session continues in a subject, after what the history has lost and what its policy skips.
 * Owner: the subject's lane.
 */
final class Remainder {
    private final History history;
    private final MessageView view = new MessageView();

    private long after;
    private Code reason = Code.HISTORY_GONE;

    Remainder(History history) {
        this.history = history;
    }

    /** Returns the seq after which there are messages to read that the session may receive. */
    long after() {
        return after;
    }

    /** Returns the reason why the messages before it are not delivered. */
    Code reason() {
        return reason;
    }

    /** Computes the remainder for a session that has everything up to {@code afterSeq}; {@code seq} is the subject's latest. */
    Remainder of(int subject, long afterSeq, long seq, CatchUpBounds cut, boolean lagging, long nowMillis) {
        after = afterSeq;
        reason = Code.HISTORY_GONE;
        if (afterSeq >= seq) {
            return this;
        }
        long oldest = history.oldestSeq(subject, afterSeq, nowMillis);
        boolean gone = !history.reachesBack(afterSeq, seq, oldest);
        if (gone) {
            after = oldest < 0 ? seq : history.gapEnd(subject, oldest);
            reason = history.isRemoval(subject, oldest) ? Code.HISTORY_REMOVED : Code.HISTORY_GONE;
        }
        boolean mine = cut.policy() != Policy.DISCONNECT && (cut.isPast() || lagging);
        if (mine && (gone || cut.isPast() || isNextTooOld(subject, cut, nowMillis))) {
            leaveOut(subject, seq, oldest, cut, nowMillis);
        }
        return this;
    }

    private boolean isNextTooOld(int subject, CatchUpBounds cut, long nowMillis) {
        boolean[] tooOld = new boolean[1];
        history.read(subject, after, Integer.MAX_VALUE, view, nowMillis, message -> {
            tooOld[0] = cut.isTooOld(message.timeMillis(), nowMillis);
            return false;
        });
        return tooOld[0];
    }

    private void leaveOut(int subject, long seq, long oldest, CatchUpBounds cut, long nowMillis) {
        if (cut.policy() == Policy.CONFLATE) {
            reason = oldest < 0 ? Code.SLOW_CONSUMER : Code.CONFLATED;
            after = oldest < 0 ? seq : seq - 1;
        } else {
            reason = Code.SLOW_CONSUMER;
            after = latest(subject, cut, seq, nowMillis);
        }
    }

    /** Returns the seq before the latest messages that are recent enough and within the bytes; at least one if it is recent. */
    private long latest(int subject, CatchUpBounds cut, long seq, long nowMillis) {
        long[] young = {after, 0};
        history.read(subject, after, Integer.MAX_VALUE, view, nowMillis, message -> {
            boolean tooOld = cut.isTooOld(message.timeMillis(), nowMillis);
            young[0] = tooOld ? message.seq() : young[0];
            young[1] = tooOld ? 0 : young[1] + bytes(message);
            return true;
        });
        history.read(subject, young[0], Integer.MAX_VALUE, view, nowMillis, message -> {
            boolean tooMuch = young[1] > cut.bytesMax() && message.seq() < seq;
            young[0] = tooMuch ? message.seq() : young[0];
            young[1] -= bytes(message);
            return tooMuch;
        });
        return young[0];
    }

    private static int bytes(MessageView message) {
        return message.contentLength() + CatchUpBounds.MESSAGE_BYTES;
    }
}
