package io.belfry.client;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.Subjects;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All subscriptions of a client, and who gets what.
 *
 * <p>A pattern has no position, so it cannot be resumed. But the subjects that were heard through it can, one by one: on
 * a new connection they are subscribed first, each from its position, then the pattern; a <i>bridge</i> is such a
 * subscription, given up as soon as it has brought what was missed and the pattern is confirmed: until then the pattern
 * brings nothing live. Meanwhile the server delivers a live message that both match once. What was published on subjects never heard of before stays unknown, and is announced.
 *
 * <p>Owner: the client's loop.
 */
final class Subscriptions {
    private final Delivery delivery;
    private final Consumer<Status> statuses;
    private final int bridgesMax;
    private final Map<String, Subscription> plain = new LinkedHashMap<>();
    private final Map<String, Subscription> patterns = new LinkedHashMap<>();

    /** Where each bridge leads; null until its subscription is confirmed. */
    private final Map<String, @Nullable Position> bridges = new HashMap<>();

    private final List<String> bridgesDone = new ArrayList<>();

    Subscriptions(Delivery delivery, Consumer<Status> statuses, int bridgesMax) {
        this.delivery = delivery;
        this.statuses = statuses;
        this.bridgesMax = bridgesMax;
    }

    void add(Subscription subscription) {
        mapOf(subscription).put(subscription.subject(), subscription);
    }

    /** False when it was gone already. */
    boolean remove(Subscription subscription) {
        return mapOf(subscription).remove(subscription.subject(), subscription);
    }

    private Map<String, Subscription> mapOf(Subscription subscription) {
        return subscription.isPattern() ? patterns : plain;
    }

    boolean isEmpty() {
        return plain.isEmpty() && patterns.isEmpty();
    }

    Collection<Subscription> all() {
        List<Subscription> all = new ArrayList<>(plain.values());
        all.addAll(patterns.values());
        return all;
    }

    /** What a new connection has to ask for, in this order. */
    List<Wish> wishes() {
        List<Wish> wishes = new ArrayList<>();
        bridges.clear();
        bridgesDone.clear();
        for (Subscription subscription : plain.values()) {
            subscription.unconfirm();
            wishes.add(wish(subscription));
        }
        for (Subscription pattern : patterns.values()) {
            pattern.unconfirm();
            pattern.trackers().forEach((subject, tracker) -> bridge(subject, tracker, wishes));
        }
        for (Subscription pattern : patterns.values()) {
            wishes.add(wish(pattern));
        }
        return wishes;
    }

    private void bridge(String subject, Tracker tracker, List<Wish> wishes) {
        Position from = tracker.resumeFrom();
        if (from != null
                && bridges.size() < bridgesMax
                && !plain.containsKey(subject)
                && !bridges.containsKey(subject)) {
            bridges.put(subject, null);
            wishes.add(new Wish(subject.getBytes(StandardCharsets.UTF_8), from, 0, 0));
        }
    }

    static Wish wish(Subscription subscription) {
        Position from = subscription.isPattern() ? null : subscription.resumeFrom();
        return new Wish(
                subscription.key(),
                from,
                from == null ? subscription.options().history() : 0,
                subscription.options().conflateMillis());
    }

    void message(MessageView view) {
        byte[] key = bytes(view.subject(), view.subjectOffset(), view.subjectLength());
        String subject = new String(key, StandardCharsets.UTF_8);
        Subscription one = plain.get(subject);
        if (one != null && one.takes()) {
            offer(one, subject, view);
        }
        for (Subscription pattern : patterns.values()) {
            if (view.type() != MessageType.HISTORY && Subjects.matches(pattern.key(), key)) {
                offer(pattern, subject, view);
            }
        }
        if (!bridges.isEmpty()) {
            lookAtBridge(subject);
        }
    }

    private void offer(Subscription subscription, String subject, MessageView view) {
        Tracker tracker = subscription.tracker(subject);
        Tracker.Verdict verdict = tracker.message(view.type(), view.epoch(), view.seq(), view.prev());
        if (verdict == Tracker.Verdict.DROP) {
            return;
        }
        if (verdict == Tracker.Verdict.DELIVER_AFTER_GAP) {
            gapFound(subscription, subject, tracker);
        }
        Message message = new Message(
                subject,
                bytes(view.data(), view.dataOffset(), view.dataLength()),
                new Position(view.epoch(), view.seq()),
                view.timeMillis(),
                view.type(),
                view.retained());
        delivery.message(subscription, message);
    }

    private static byte[] bytes(ByteBuf from, int offset, int length) {
        byte[] bytes = new byte[length];
        from.getBytes(offset, bytes);
        return bytes;
    }

    private void gapFound(Subscription subscription, String subject, Tracker tracker) {
        Position from = tracker.gapFrom();
        Position to = tracker.gapTo();
        boolean otherEpoch = from != null && to != null && from.epoch() != to.epoch();
        tell(subscription, new Gap(subject, from, to, otherEpoch ? "epoch-changed" : Gap.NOT_RECOVERED));
    }

    private void tell(Subscription subscription, Gap gap) {
        delivery.gap(subscription, gap);
        statuses.accept(new Status.GapFound(gap));
    }

    void subscribed(String subject, @Nullable Position at, Recovery recovery) {
        Subscription pattern = patterns.get(subject);
        if (pattern != null) {
            patternConfirmed(pattern);
            return;
        }
        Subscription one = plain.get(subject);
        if (one != null && at != null) {
            Tracker tracker = one.tracker(subject);
            if (tracker.subscribed(at, recovery, one.options().history() > 0)) {
                gapFound(one, subject, tracker);
            }
            one.confirm();
            statuses.accept(new Status.Subscribed(subject, recovery));
        } else if (at != null && bridges.containsKey(subject)) {
            bridges.put(subject, at);
            lookAtBridge(subject);
        }
    }

    private void patternConfirmed(Subscription pattern) {
        boolean first = pattern.confirm();
        List.copyOf(bridges.keySet()).forEach(this::lookAtBridge);
        statuses.accept(new Status.Subscribed(pattern.subject(), Recovery.NONE));
        if (!first) {
            tell(pattern, new Gap(pattern.subject(), null, null, Gap.NOT_RECOVERED));
        }
    }

    void gap(String subject, @Nullable Position from, Position to, String reason) {
        byte[] key = subject.getBytes(StandardCharsets.UTF_8);
        Gap gap = new Gap(subject, from, to, reason);
        boolean takenBack = reason.equals(Code.LOG_CUT.text());
        Subscription one = plain.get(subject);
        if (one != null && one.tracker(subject).gap(to, takenBack)) {
            tell(one, gap);
        }
        for (Subscription pattern : patterns.values()) {
            if (Subjects.matches(pattern.key(), key) && pattern.tracker(subject).gap(to, takenBack)) {
                tell(pattern, gap);
            }
        }
        lookAtBridge(subject);
    }

    @Nullable
    Subscription find(String subject) {
        return plain.containsKey(subject) ? plain.get(subject) : patterns.get(subject);
    }

    /** The server refused a subject; true if it was one of ours and not a bridge. */
    boolean refused(String subject, String code, String reason) {
        Subscription one = find(subject);
        if (one == null) {
            bridgeRefused(subject);
            return false;
        }
        remove(one);
        one.refused(code, reason);
        statuses.accept(new Status.SubscribeRefused(subject, code, reason));
        return true;
    }

    /** Nothing will show how much is missing if the subject stays silent: it is told at once. */
    private void bridgeRefused(String subject) {
        if (!bridges.containsKey(subject)) {
            return;
        }
        bridges.remove(subject);
        byte[] key = subject.getBytes(StandardCharsets.UTF_8);
        for (Subscription pattern : patterns.values()) {
            if (Subjects.matches(pattern.key(), key)) {
                tell(pattern, new Gap(subject, pattern.tracker(subject).resumeFrom(), null, Gap.NOT_RECOVERED));
            }
        }
    }

    private void lookAtBridge(String subject) {
        Position to = bridges.get(subject);
        if (to == null) {
            return;
        }
        byte[] key = subject.getBytes(StandardCharsets.UTF_8);
        for (Subscription pattern : patterns.values()) {
            boolean takesOver =
                    pattern.isConfirmed() && pattern.tracker(subject).reached(to);
            if (Subjects.matches(pattern.key(), key) && !takesOver) {
                return;
            }
        }
        bridges.remove(subject);
        bridgesDone.add(subject);
    }

    /** Bridges to be given up now; over HTTP they stay until the next stream. */
    List<byte[]> takeBridgesDone() {
        if (bridgesDone.isEmpty()) {
            return List.of();
        }
        List<byte[]> done = bridgesDone.stream()
                .filter(subject -> !plain.containsKey(subject))
                .map(subject -> subject.getBytes(StandardCharsets.UTF_8))
                .toList();
        bridgesDone.clear();
        return done;
    }

    /** Whether a subject is subscribed on the wire already, as a bridge: it has to be given up first. */
    boolean isBridge(String subject) {
        return bridges.containsKey(subject);
    }

    void dropBridge(String subject) {
        bridges.remove(subject);
    }
}
