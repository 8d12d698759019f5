package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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

    private static final int BY_SERVER_MAX = 1000;

    private final ClientLoop loop;
    private final Delivery delivery;
    private final ClientSubscriptions subscriptions;
    private final Consumer<Status> statuses;
    private final Supplier<@Nullable Link> link;

    /** The subjects to which the server subscribed the session on this connection, and the program did not. */
    private final Set<String> byServer = new HashSet<>();

    private @Nullable Link byServerOn;

    SubscriptionRequests(
            ClientLoop loop,
            Delivery delivery,
            ClientSubscriptions subscriptions,
            Consumer<Status> statuses,
            Supplier<@Nullable Link> link) {
        this.statuses = statuses;
        this.loop = loop;
        this.delivery = delivery;
        this.subscriptions = subscriptions;
        this.link = link;
    }

    void subscribe(Subscription subscription) {
        subscriptions.add(subscription);
        request(subscription);
    }

    /** Reports a subscription that the server began itself: over a WebSocket every command has an id. */
    void confirmed(long id, String subject, @Nullable Position at) {
        Link on = link.get();
        if (id != CommandHandler.NO_ID
                || on == null
                || !on.answersUnsubscribe()
                || subscriptions.find(subject) != null) {
            return;
        }
        if (!on.equals(byServerOn)) {
            byServerOn = on;
            byServer.clear();
        }
        if (byServer.size() < BY_SERVER_MAX && byServer.add(subject)) {
            statuses.accept(new Status.SubscribedByServer(subject, at));
        }
    }

    private void request(Subscription subscription) {
        Link to = link.get();
        if (to == null || subscription.isSuspended()) {
            return;
        }
        if (to.equals(byServerOn) && byServer.remove(subscription.subject())) {
            to.unsubscribe(List.of(subscription.key()));
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

    /**
     * Completes a session that continues with its subjects: requests the patterns, and what the program changed while the server
     * was asked.
     */
    void catchUp() {
        subscriptions.forgetEnds();
        subscriptions.servedInVain().forEach(subject -> end(subject.getBytes(StandardCharsets.UTF_8)));
        subscriptions.notServed().forEach(this::request);
        Link to = link.get();
        if (to != null) {
            subscriptions.wantedPatterns().forEach(to::subscribe);
            to.flush();
        }
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
        Subscription begun = code.equals("already-subscribed") ? subscriptions.find(subject) : null;
        if (begun != null && !begun.isSuspended()) {
            // The server began the subscription at the same time. The client's own has its options.
            end(begun.key());
            request(begun);
            return true;
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
            byServer.remove(subject);
            subscriptions.refused(subject, reason, "the server ended the subscription");
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
