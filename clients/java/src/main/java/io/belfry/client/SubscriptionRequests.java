package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests, ends, suspends and resumes subscriptions one by one, on a link that has the list of the others already.
 * Without such a link nothing is sent, because the next link begins with the list. Owner: the client's loop.
 */
final class SubscriptionRequests {
    /**
     * Minimum pause before a command is repeated. The server's command rate refills within a second, so shorter pauses
     * gain nothing.
     */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientLoop loop;
    private final Delivery delivery;
    private final ClientSubscriptions subscriptions;
    private final Supplier<@Nullable Link> link;

    SubscriptionRequests(
            ClientLoop loop, Delivery delivery, ClientSubscriptions subscriptions, Supplier<@Nullable Link> link) {
        this.loop = loop;
        this.delivery = delivery;
        this.subscriptions = subscriptions;
        this.link = link;
    }

    void subscribe(Subscription subscription) {
        subscriptions.add(subscription);
        request(subscription);
    }

    private void request(Subscription subscription) {
        Link to = link.get();
        if (to == null || subscription.isSuspended()) {
            return;
        }
        if (subscriptions.isBridge(subscription.subject())) {
            subscriptions.dropBridge(subscription.subject());
            to.unsubscribe(List.of(subscription.key()));
        }
        List<Subscription> again = subscriptions.unconfirmOverlapping(subscription);
        again.forEach(each -> end(to, each.key()));
        to.subscribe(subscriptions.requestFor(subscription));
        again.forEach(each -> to.subscribe(subscriptions.requestFor(each)));
        to.flush();
    }

    /** Ends a subscription; returns false if it had ended. */
    boolean unsubscribe(Subscription subscription) {
        boolean known = subscriptions.remove(subscription);
        if (known && !subscription.isSuspended()) {
            end(subscription.key());
        }
        return known;
    }

    /** Requests and ends what the program changed while the server was asked to continue a session. */
    void catchUp() {
        subscriptions.forgetEnds();
        subscriptions.servedInVain().forEach(subject -> end(subject.getBytes(StandardCharsets.UTF_8)));
        subscriptions.notServed().forEach(this::request);
    }

    private void end(byte[] subject) {
        Link to = link.get();
        if (to != null) {
            end(to, subject);
            to.flush();
        }
    }

    private void end(Link at, byte[] subject) {
        at.unsubscribe(List.of(subject));
        if (at.answersUnsubscribe() && Subjects.isPattern(subject)) {
            subscriptions.endSent();
        }
    }

    /**
     * Sends a subscription, or its end, again after the server rejected it with a rate limit. Many are rejected
     * together.
     */
    void repeatLater(String subject, long afterMillis) {
        Link rejected = link.get();
        loop.runAfter(Math.max(AGAIN_NANOS, TimeUnit.MILLISECONDS.toNanos(afterMillis)), () -> {
            if (rejected == null || !rejected.equals(link.get())) {
                return;
            }
            Subscription wanted = subscriptions.find(subject);
            if (wanted == null || wanted.isSuspended()) {
                end(subject.getBytes(StandardCharsets.UTF_8));
            } else if (!wanted.isConfirmed()) {
                request(wanted);
            }
        });
    }

    private void endAnswered(String subject) {
        if (Subjects.isPattern(subject.getBytes(StandardCharsets.UTF_8))) {
            subscriptions.endAnswered();
        }
    }

    /** Handles the rejection of a subscription, or of its end. Returns false if the error concerns something else. */
    boolean failed(long id, String subject, String code, String reason, long afterMillis) {
        if (id == Link.UNSUBSCRIBE) {
            endAnswered(subject);
        }
        if (code.equals("not-subscribed")) {
            // The answer to the end of a subscription that a limit had refused before.
            ended(subject);
        }
        if (Refusals.isRateLimit(code) && afterMillis > 0) {
            repeatLater(subject, afterMillis);
            return true;
        }
        if (!Refusals.isOfSubscription(code)) {
            return false;
        }
        Subscription again = subscriptions.positionRefused(subject, code);
        if (again == null) {
            subscriptions.refused(subject, code, reason);
        } else {
            requestWithBridges(again);
        }
        return true;
    }

    private boolean isKnown(Subscription subscription) {
        return subscription.equals(subscriptions.find(subscription.subject()));
    }

    /** Ends a paused subscription at the server; the client keeps its position. */
    void suspend(Subscription subscription) {
        if (!isKnown(subscription) || !subscription.isPaused() || !subscription.suspend()) {
            return;
        }
        Link to = link.get();
        if (to == null || !to.answersUnsubscribe()) {
            subscription.ended();
        }
        end(subscription.key());
    }

    /** Delivers what a pause kept, and requests the rest. */
    void resume(Subscription subscription) {
        delivery.run(subscription::deliverKept);
        // While the answer to unsubscribe is on its way, messages that precede it may still arrive.
        if (!subscription.isPaused() && subscription.isSuspended() && !subscription.isEnding()) {
            requestSuspended(subscription);
        }
    }

    /** The server ended a subscription: because the client asked, or for a reason. */
    void unsubscribed(String subject, @Nullable String reason) {
        if (reason == null) {
            endAnswered(subject);
            // The end of a subscription was reported when it was requested: no message is delivered after that.
            subscriptions.endedAtServer(subject);
            ended(subject);
        } else {
            subscriptions.refused(subject, reason, "the new token does not allow it");
        }
    }

    /** The server has answered that a subscription ended. */
    void ended(String subject) {
        Subscription paused = subscriptions.find(subject);
        if (paused != null && paused.isEnding()) {
            paused.ended();
            if (!paused.isPaused()) {
                requestSuspended(paused);
            }
        }
    }

    private void requestSuspended(Subscription subscription) {
        if (!isKnown(subscription)) {
            return;
        }
        subscription.awake();
        requestWithBridges(subscription);
    }

    private void requestWithBridges(Subscription subscription) {
        Link to = link.get();
        if (to != null) {
            subscriptions.bridgesFor(subscription).forEach(to::subscribe);
            request(subscription);
        }
    }

    /** Ends the subscriptions to single subjects that a pattern does not need any more. */
    void endBridges() {
        List<byte[]> done = subscriptions.takeFinishedBridges();
        Link to = link.get();
        // Over HTTP they remain until the next stream.
        if (!done.isEmpty() && to != null && to.answersUnsubscribe()) {
            to.unsubscribe(done);
        }
    }
}
