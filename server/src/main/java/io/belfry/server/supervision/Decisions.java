package io.belfry.server.supervision;

import io.belfry.protocol.Code;
import io.belfry.server.config.EntitlementConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.entitlement.AskedCommand;
import io.belfry.server.entitlement.CommandDecision;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Entitlement.Answer;
import io.belfry.server.turn.Turn;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the entitlement provider, and ensures that each question has one answer, in time, on the loop: a late or second
 * answer is ignored, a failed or missing one is a refusal. Owner: the lane's loop.
 */
public final class Decisions {
    private static final Answer.Rejected LATE =
            new Answer.Rejected(Code.DECIDE_TIMEOUT, "the entitlement provider did not decide in time");
    private static final Answer.Rejected OVERLOADED =
            new Answer.Rejected(Code.OVERLOADED, "too many decisions of the entitlement provider are pending");
    private static final Answer.Rejected FAILED = new Answer.Rejected(Code.INTERNAL, "the entitlement provider failed");

    private final Turn turn;
    private final LoopCounters counters;
    private final long patienceNanos;
    private final int waitingMax;

    /** In the order of their deadlines, because all have the same time; an answered one is removed when it is first. */
    private final Deque<Question<?>> asked = new ArrayDeque<>();

    private Entitlement entitlement;
    private int waiting;

    /** Creates the part of one of {@code lanes} lanes, with the lane's share of {@code Entitlement.Waiting}. */
    public Decisions(Turn turn, LoopCounters counters, EntitlementConfig config, Entitlement entitlement, int lanes) {
        this.turn = turn;
        this.counters = counters;
        this.entitlement = entitlement;
        patienceNanos = config.decideMillis() * 1_000_000;
        waitingMax = Math.ceilDiv(config.waitingMax(), lanes);
    }

    void reconfigure(Entitlement next) {
        entitlement = next;
    }

    /** Asks about a client; the answer arrives within this call or later. Returns whether it has arrived. */
    public boolean decide(Entitlement.Credentials credentials, Consumer<Answer> receiver) {
        return ask(answer -> entitlement.decide(credentials, answer), refusal -> refusal, receiver);
    }

    /** Asks about a command; the answer arrives within this call or later. Returns whether it has arrived. */
    boolean decide(AskedCommand command, Consumer<CommandDecision> receiver) {
        return ask(answer -> entitlement.decide(command, answer), CommandDecision::of, receiver);
    }

    private <A> boolean ask(
            Consumer<Consumer<A>> provider, Function<Answer.Rejected, A> refused, Consumer<A> receiver) {
        if (waiting >= waitingMax) {
            receiver.accept(refused.apply(OVERLOADED));
            return true;
        }
        Question<A> question = new Question<>(receiver, refused, turn.nowNanos() + patienceNanos);
        try {
            provider.accept(answer -> turn.run(() -> answered(question, answer)));
        } catch (RuntimeException failure) {
            turn.onFailure(failure);
            answered(question, refused.apply(FAILED));
        }
        if (question.receiver == null) {
            return true;
        }
        question.waits = true;
        asked.add(question);
        waiting(1);
        return false;
    }

    private <A> void answered(Question<A> question, A answer) {
        Consumer<A> receiver = question.receiver;
        if (receiver == null) {
            counters.increment(Counter.DECISIONS_IGNORED);
            return;
        }
        question.receiver = null;
        if (!question.waits) {
            receiver.accept(answer);
            return;
        }
        waiting(-1);
        try {
            receiver.accept(answer);
        } catch (RuntimeException failure) {
            // The callers on the stack do not belong to the connection that this answer concerns.
            turn.onFailure(failure);
        }
    }

    private void waiting(int more) {
        waiting += more;
        counters.add(Counter.DECISIONS_WAITING, more);
    }

    void tick() {
        for (Question<?> first = asked.peek(); first != null && isOver(first); first = asked.peek()) {
            asked.remove();
            late(first);
        }
    }

    private <A> void late(Question<A> question) {
        if (question.receiver != null) {
            answered(question, question.refused.apply(LATE));
        }
    }

    private boolean isOver(Question<?> question) {
        return question.receiver == null || question.deadlineNanos - turn.nowNanos() <= 0;
    }

    private static final class Question<A> {
        /** Null after the answer was passed on. */
        @Nullable
        Consumer<A> receiver;

        final Function<Answer.Rejected, A> refused;
        final long deadlineNanos;
        boolean waits;

        Question(Consumer<A> receiver, Function<Answer.Rejected, A> refused, long deadlineNanos) {
            this.receiver = receiver;
            this.refused = refused;
            this.deadlineNanos = deadlineNanos;
        }
    }
}
