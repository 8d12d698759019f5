package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.server.config.EntitlementConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Entitlement.Answer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks the entitlement and sees to it that each question has one answer, in time, on the loop: what comes late or twice is
 * passed over, what fails or does not come is a refusal. Owner: the lane's loop.
 */
final class Decisions {
    private static final Answer LATE =
            new Answer.Rejected(Code.DECIDE_TIMEOUT, "the entitlement did not decide in time");
    private static final Answer OVERLOADED =
            new Answer.Rejected(Code.OVERLOADED, "too many wait for the entitlement to decide");
    private static final Answer FAILED = new Answer.Rejected(Code.INTERNAL, "the entitlement failed");

    private final Lane lane;
    private final LoopCounters counters;
    private final long patienceNanos;
    private final int waitingMax;

    /** In the order of their deadlines, as all have equally long; those that were answered leave when they are first. */
    private final Deque<Question> asked = new ArrayDeque<>();

    private Entitlement entitlement;
    private int waiting;

    /** Of {@code Entitlement.Waiting} this is the lane's share. */
    Decisions(Lane lane, LoopCounters counters, EntitlementConfig config, Entitlement entitlement) {
        this.lane = lane;
        this.counters = counters;
        this.entitlement = entitlement;
        patienceNanos = config.decideMillis() * 1_000_000;
        waitingMax =
                Math.ceilDiv(config.waitingMax(), lane.config().workgroups().ioThreads());
    }

    void reconfigure(Entitlement next) {
        entitlement = next;
    }

    /** The answer comes within this call, or later. Answers whether it has come. */
    boolean decide(Entitlement.Credentials credentials, Consumer<Answer> asker) {
        if (waiting >= waitingMax) {
            asker.accept(OVERLOADED);
            return true;
        }
        Question question = new Question(asker, lane.nowNanos() + patienceNanos);
        try {
            entitlement.decide(credentials, answer -> lane.run(() -> answered(question, answer)));
        } catch (RuntimeException failure) {
            lane.onFailure(failure);
            answered(question, FAILED);
        }
        if (question.asker == null) {
            return true;
        }
        question.waits = true;
        asked.add(question);
        waiting(1);
        return false;
    }

    private void answered(Question question, Answer answer) {
        Consumer<Answer> asker = question.asker;
        if (asker == null) {
            counters.increment(Counter.DECISIONS_IGNORED);
            return;
        }
        question.asker = null;
        if (!question.waits) {
            asker.accept(answer);
            return;
        }
        waiting(-1);
        try {
            asker.accept(answer);
        } catch (RuntimeException failure) {
            // Nobody above this is of the connection it concerns.
            lane.onFailure(failure);
        }
    }

    private void waiting(int more) {
        waiting += more;
        counters.add(Counter.DECISIONS_WAITING, more);
    }

    void tick() {
        for (Question first = asked.peek(); first != null && isOver(first); first = asked.peek()) {
            asked.remove();
            if (first.asker != null) {
                answered(first, LATE);
            }
        }
    }

    private boolean isOver(Question question) {
        return question.asker == null || question.deadlineNanos - lane.nowNanos() <= 0;
    }

    private static final class Question {
        /** Null once it was told. */
        @Nullable
        Consumer<Answer> asker;

        final long deadlineNanos;
        boolean waits;

        Question(Consumer<Answer> asker, long deadlineNanos) {
            this.asker = asker;
            this.deadlineNanos = deadlineNanos;
        }
    }
}
