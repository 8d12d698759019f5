package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.server.config.SlowConsumerConfig.Policy;
import io.belfry.server.history.History;

/**
 * Finds where a session that lags in a subject goes on: behind what the history has lost and what its policy leaves out.
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

    /** The seq behind which there is something to read that the session may have. */
    long after() {
        return after;
    }

    /** Why what lies before does not come. */
    Code reason() {
        return reason;
    }

    /** The session has everything up to {@code afterSeq}; the subject's latest message is {@code seq}. */
    Remainder of(int subject, long afterSeq, long seq, Cut cut, boolean lagging, long nowMillis) {
        after = afterSeq;
        reason = Code.HISTORY_GONE;
        if (afterSeq >= seq) {
            return this;
        }
        long oldest = history.oldestSeq(subject, afterSeq, nowMillis);
        boolean gone = !history.reachesBack(afterSeq, seq, oldest);
        if (gone) {
            after = oldest < 0 ? seq : oldest - 1;
        }
        boolean mine = cut.policy() != Policy.DISCONNECT && (cut.isPast() || lagging);
        if (mine && (gone || cut.isPast() || isNextTooOld(subject, cut, nowMillis))) {
            leaveOut(subject, seq, oldest, cut, nowMillis);
        }
        return this;
    }

    private boolean isNextTooOld(int subject, Cut cut, long nowMillis) {
        boolean[] tooOld = new boolean[1];
        history.read(subject, after, Integer.MAX_VALUE, view, nowMillis, message -> {
            tooOld[0] = cut.isTooOld(message.timeMillis(), nowMillis);
            return false;
        });
        return tooOld[0];
    }

    private void leaveOut(int subject, long seq, long oldest, Cut cut, long nowMillis) {
        if (cut.policy() == Policy.CONFLATE) {
            reason = oldest < 0 ? Code.SLOW_CONSUMER : Code.CONFLATED;
            after = oldest < 0 ? seq : seq - 1;
        } else {
            reason = Code.SLOW_CONSUMER;
            after = latest(subject, cut, seq, nowMillis);
        }
    }

    /** The seq behind which the latest messages lie that are young enough and not too many, at least one if it is young. */
    private long latest(int subject, Cut cut, long seq, long nowMillis) {
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
        return message.dataLength() + SlowSessions.MESSAGE_BYTES;
    }
}
