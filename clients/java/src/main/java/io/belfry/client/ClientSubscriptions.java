package io.belfry.client;

import io.belfry.protocol.Code;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All subscriptions of a client; dispatches messages and gaps to them.
 *
 * <p>A pattern with a {@link PatternProgress position} is resumed from it. The position is some seconds behind, so the server sends
 * messages again; the trackers of the pattern drop them. The server resumes patterns in the order of their commands, and omits
 * messages that an earlier one delivered. The pattern with the earliest position is therefore requested first.
 *
 * <p>A pattern without a position cannot be resumed, but the subjects received through it can be resumed one by one.
 * On a new connection these subjects are subscribed first, each from its position, and then the pattern. Such a
 * temporary subscription is called a <i>bridge</i>. It ends once the missed messages have arrived and the pattern is
 * confirmed; before that the pattern delivers no live messages, and has no position, so that the bridges are requested again
 * if the connection is lost. The server sends a live message that matches both only once. Messages published on subjects
 * that this client never received remain unknown, and are announced as a gap.
 *
 * <p>Owner: the client's loop.
 */
final class ClientSubscriptions {
    private final Delivery delivery;
    private final Consumer<Status> statuses;
    private final PatternBridges bridges;
    private final Map<String, Subscription> plain = new LinkedHashMap<>();
    private final Map<String, Subscription> patterns = new LinkedHashMap<>();

    private final ServedSubjects served = new ServedSubjects();
    private final DeltaBases deltas = new DeltaBases();

    /** Whether all patterns have one position, as in a stream over HTTP, which serves all of them from there. */
    private final boolean onePosition;

    /** Patterns that were ended on this connection, and the answers to that; both are in the order of the commands. */
    private long endsSent;

    private long endsAnswered;

    /** {@code onePosition} is whether the transport has one position for all patterns. */
    ClientSubscriptions(Delivery delivery, Consumer<Status> statuses, int bridgesMax, boolean onePosition) {
        this.onePosition = onePosition;
        this.delivery = delivery;
        this.statuses = statuses;
        bridges = new PatternBridges(bridgesMax);
    }

    void add(Subscription subscription) {
        mapOf(subscription).put(subscription.subject(), subscription);
    }

    /** Removes a subscription; returns false if it was already removed. */
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

    /** Returns the subscriptions that a new connection must request, in this order. */
    List<WantedSubscription> wantedSubscriptions() {
        List<WantedSubscription> wantedSubscriptions = new ArrayList<>();
        bridges.clear();
        served.clear();
        forgetEnds();
        for (Subscription subscription : plain.values()) {
            subscription.unconfirm();
            if (!subscription.isSuspended()) {
                wantedSubscriptions.add(requestFor(subscription));
            }
        }
        wantedSubscriptions.addAll(wantedPatterns());
        return wantedSubscriptions;
    }

    /** Returns the patterns that a connection must request after all subjects, in this order, and their bridges. */
    List<WantedSubscription> wantedPatterns() {
        List<WantedSubscription> wanted = new ArrayList<>();
        if (onePosition) {
            PatternProgress.forgetDifferent(patterns.values().stream().filter(pattern -> !pattern.isSuspended()));
        }
        for (Subscription pattern : patterns.values()) {
            pattern.unconfirm();
            wanted.addAll(bridgesFor(pattern));
        }
        patterns.values().stream()
                .filter(pattern -> !pattern.isSuspended())
                .sorted(Comparator.comparingInt(pattern -> pattern.progress().rank()))
                .forEach(pattern -> wanted.add(requestFor(pattern)));
        return wanted;
    }

    /** Takes the confirmations of patterns that must be requested again, after one that lacks more than they do. */
    List<Subscription> unconfirmOverlapping(Subscription pattern) {
        PatternProgress progress = pattern.progress();
        if (progress.at() == null || !progress.isBehind()) {
            return List.of();
        }
        List<Subscription> overlapping = patterns.values().stream()
                .filter(each -> !each.isSuspended()
                        && each.progress().at() != null
                        && !each.progress().isBehind()
                        && overlaps(each, pattern))
                .toList();
        overlapping.forEach(Subscription::unconfirm);
        return overlapping;
    }

    /** Returns the subscriptions that recover the known subjects of a pattern, before the pattern is requested. */
    List<WantedSubscription> bridgesFor(Subscription pattern) {
        List<WantedSubscription> wanted = new ArrayList<>();
        if (pattern.isPattern() && !pattern.isSuspended() && pattern.progress().at() == null) {
            pattern.trackers().forEach((subject, tracker) -> bridge(subject, tracker, wanted));
        }
        return wanted;
    }

    private void bridge(String subject, Tracker tracker, List<WantedSubscription> wantedSubscriptions) {
        Position from = tracker.resumeFrom();
        if (from != null && !plain.containsKey(subject) && bridges.begin(subject)) {
            wantedSubscriptions.add(
                    new WantedSubscription(subject.getBytes(StandardCharsets.UTF_8), from, null, 0, 0, false));
        }
    }

    /** A connection begins, on which no pattern was ended. */
    void forgetEnds() {
        deltas.clear();
        endsSent = 0;
        endsAnswered = 0;
    }

    /** A pattern is ended with a command that the server answers. */
    void endSent() {
        endsSent++;
    }

    /** The server has answered the end of a pattern. */
    void endAnswered() {
        endsAnswered++;
    }

    WantedSubscription requestFor(Subscription subscription) {
        Position from = subscription.isPattern() ? null : subscription.resumeFrom();
        subscription.progress().requested(endsSent);
        return new WantedSubscription(
                subscription.target(),
                from,
                subscription.progress().at(),
                from == null ? subscription.options().history() : 0,
                subscription.options().conflateMillis(),
                !subscription.isPattern() && subscription.options().deltas());
    }

    /** Dispatches a message; returns false if it is a delta that cannot be applied. */
    boolean message(MessageView view) {
        byte[] key = new byte[view.subjectLength()];
        view.subject().getBytes(view.subjectOffset(), key);
        String subject = new String(key, StandardCharsets.UTF_8);
        Subscription one = plain.get(subject);
        if (!deltas.resolve(subject, one != null && one.options().deltas(), view)) {
            return false;
        }
        if (one != null && one.takes()) {
            offer(one, subject, view);
        }
        for (Subscription pattern : patterns.values()) {
            if (pattern.takes()
                    && pattern.progress().endsBefore() <= endsAnswered
                    && view.type() != MessageType.HISTORY
                    && Subjects.matches(pattern.key(), key)
                    && !pattern.progress().isEarly(view.type())) {
                offer(pattern, subject, view);
            }
        }
        if (!bridges.isEmpty()) {
            checkBridge(subject);
        }
        return true;
    }

    private void offer(Subscription subscription, String subject, MessageView view) {
        Tracker tracker = subscription.tracker(subject);
        Tracker.Verdict verdict = tracker.message(view.type(), view.epoch(), view.seq(), view.prev());
        if (verdict == Tracker.Verdict.DROP) {
            if (subscription.progress().isMissing(view.type()) && tracker.isBeforeFirst(view.epoch(), view.seq())) {
                patternGap(subscription, Gap.NOT_RECOVERED);
            }
            return;
        }
        if (verdict == Tracker.Verdict.DELIVER_AFTER_GAP) {
            gapFound(subscription, subject, tracker);
        }
        delivery.message(subscription, Message.of(subject, view));
    }

    private void gapFound(Subscription subscription, String subject, Tracker tracker) {
        Position from = tracker.gapFrom();
        Position to = tracker.gapTo();
        boolean otherEpoch = from != null && to != null && from.epoch() != to.epoch();
        report(subscription, new Gap(subject, from, to, otherEpoch ? "epoch-changed" : Gap.NOT_RECOVERED));
    }

    private void report(Subscription subscription, Gap gap) {
        delivery.gap(subscription, gap);
        statuses.accept(new Status.GapFound(gap));
    }

    void subscribed(String subject, @Nullable Position at, Recovery recovery) {
        if (patterns.containsKey(subject)) {
            patternSubscribed(subject, null, recovery);
            return;
        }
        served.confirmed(subject, find(subject));
        Subscription one = plain.get(subject);
        if (one != null && one.isSuspended()) {
            // Paused before the confirmation: the position is where the subscription will continue.
            if (at != null && one.resumeFrom() == null) {
                one.tracker(subject).subscribed(at, recovery, one.options().history() > 0);
            }
            return;
        }
        if (one != null && at != null) {
            Tracker tracker = one.tracker(subject);
            if (tracker.subscribed(at, recovery, one.options().history() > 0)) {
                gapFound(one, subject, tracker);
            }
            one.confirm();
            statuses.accept(new Status.Subscribed(subject, recovery));
        } else if (at != null && bridges.isOpen(subject)) {
            bridges.confirmed(subject, at);
            checkBridge(subject);
        }
    }

    /** Handles the confirmation of a pattern; {@code at} is its position, if the server has one. */
    void patternSubscribed(String subject, @Nullable PatternPosition at, Recovery recovery) {
        Subscription pattern = patterns.get(subject);
        if (pattern != null) {
            patternSubscribed(pattern, at, recovery);
        }
    }

    private void patternSubscribed(Subscription pattern, @Nullable PatternPosition at, Recovery recovery) {
        PatternProgress progress = pattern.progress();
        if (pattern.isSuspended()) {
            // Paused before the confirmation: the subscription will continue from the position, or recover the subjects
            // that it knows.
            if (at != null && progress.at() == null && pattern.trackers().isEmpty()) {
                progress.reached(at);
            }
            return;
        }
        // In a stream the confirmation of the last pattern has the position of all.
        PatternPosition reached = at == null && onePosition && progress.isRecovering() ? progress.at() : at;
        progress.confirmed();
        boolean resumes = pattern.everConfirmed() || pattern.options().patternFrom() != null;
        pattern.confirm();
        bridges.all().forEach(this::checkBridge);
        statuses.accept(new Status.Subscribed(pattern.subject(), recovery));
        if (resumes && recovery == Recovery.NONE) {
            report(pattern, new Gap(pattern.subject(), null, null, Gap.NOT_RECOVERED));
        }
        if (onePosition && at != null) {
            position(at);
        } else {
            reached(pattern, reached);
        }
    }

    /** Whether messages that the pattern missed may still arrive through a bridge. */
    private boolean isBridged(Subscription pattern) {
        return pattern.progress().at() == null && bridges.isOpenFor(pattern);
    }

    /** The server has sent everything up to a position for the patterns that it confirmed. */
    void position(PatternPosition at) {
        for (Subscription pattern : patterns.values()) {
            if (pattern.isConfirmed() && (onePosition || pattern.progress().at() != null)) {
                reached(pattern, at);
            }
        }
    }

    private void reached(Subscription pattern, @Nullable PatternPosition at) {
        PatternProgress progress = pattern.progress();
        if (at != null && isBridged(pattern)) {
            progress.afterBridges(at);
        } else {
            progress.reached(at);
        }
        delivery.reached(pattern, progress.at());
    }

    /**
     * The server has sent everything up to a position for a pattern that recovers. It omits what another pattern has delivered,
     * so the position counts only without one that overlaps.
     */
    void progress(String subject, PatternPosition at) {
        Subscription pattern = patterns.get(subject);
        if (pattern != null
                && pattern.takes()
                && pattern.progress().isRecovering()
                && pattern.progress().endsBefore() <= endsAnswered
                && patterns.values().stream().noneMatch(each -> overlaps(each, pattern))) {
            reached(pattern, at);
        }
    }

    private static boolean overlaps(Subscription one, Subscription other) {
        return !one.equals(other) && PatternOverlap.exists(one.subject(), other.subject());
    }

    void gap(String subject, @Nullable Position from, Position to, String reason) {
        byte[] key = subject.getBytes(StandardCharsets.UTF_8);
        if (Subjects.isPattern(key)) {
            patternGap(subject, reason);
            return;
        }
        Gap gap = new Gap(subject, from, to, reason);
        boolean truncated = reason.equals(Code.LOG_CUT.text());
        Subscription one = plain.get(subject);
        if (one != null && !one.isSuspended() && one.tracker(subject).gap(to, truncated)) {
            report(one, gap);
        }
        for (Subscription pattern : patterns.values()) {
            if (pattern.takes()
                    && Subjects.matches(pattern.key(), key)
                    && pattern.tracker(subject).gap(to, truncated)) {
                report(pattern, gap);
            }
        }
        checkBridge(subject);
    }

    /** Messages on unknown subjects are missing, so the next message of each subject may skip others. */
    private void patternGap(String subject, String reason) {
        Subscription pattern = patterns.get(subject);
        if (pattern != null && !pattern.isSuspended()) {
            // The recovery of one pattern has messages of others that match.
            patterns.values().stream()
                    .filter(each -> each.progress().at() != null)
                    .forEach(each -> each.trackers().values().forEach(Tracker::forgive));
            patternGap(pattern, reason);
        }
    }

    private void patternGap(Subscription pattern, String reason) {
        pattern.progress().gapFound();
        report(pattern, new Gap(pattern.subject(), null, null, reason));
    }

    @Nullable
    Subscription find(String subject) {
        return plain.containsKey(subject) ? plain.get(subject) : patterns.get(subject);
    }

    /** The server has answered that a subscription ended. */
    void endedAtServer(String subject) {
        served.ended(subject);
        deltas.ended(subject);
    }

    /** Returns the request that continues a session, or the one for a new session; see {@link ServedSubjects}. */
    KeptSession toContinue(String session) {
        return bridges.isEmpty() ? served.toContinue(session, plain.values(), patterns.values()) : KeptSession.NEW;
    }

    /** Returns the subscriptions to subjects that the server has not confirmed. */
    List<Subscription> notServed() {
        return served.missing(plain.values());
    }

    /** Returns the subjects that the server still serves, although the program has ended or paused their subscriptions. */
    List<String> servedInVain() {
        return served.inVain(this::find);
    }

    /**
     * Forgets the position of a pattern that the server rejected, because it has none; returns null if the pattern had been
     * requested without one. The pattern must be requested again.
     */
    @Nullable
    Subscription positionRefused(String subject, String code) {
        Subscription pattern = patterns.get(subject);
        if (pattern == null || !pattern.progress().isRecovering() || !Refusals.isOfPosition(code)) {
            return null;
        }
        pattern.progress().forget();
        return pattern;
    }

    /** Handles a rejected subject; returns true if it was a subscription of the program and not a bridge. */
    boolean refused(String subject, String code, String reason) {
        served.ended(subject);
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

    /** Announces a gap at once, because a silent subject would never show how much is missing. */
    private void bridgeRefused(String subject) {
        if (!bridges.isOpen(subject)) {
            return;
        }
        byte[] key = subject.getBytes(StandardCharsets.UTF_8);
        for (Subscription pattern : patterns.values()) {
            if (Subjects.matches(pattern.key(), key)) {
                report(pattern, new Gap(subject, pattern.tracker(subject).resumeFrom(), null, Gap.NOT_RECOVERED));
            }
        }
        dropBridge(subject);
    }

    private void checkBridge(String subject) {
        Position to = bridges.target(subject);
        if (to == null) {
            return;
        }
        byte[] key = subject.getBytes(StandardCharsets.UTF_8);
        for (Subscription pattern : patterns.values()) {
            if (pattern.progress().at() != null) {
                // It recovers from its own position.
                continue;
            }
            boolean reached = pattern.isConfirmed() && pattern.tracker(subject).reached(to);
            if (!pattern.isSuspended() && Subjects.matches(pattern.key(), key) && !reached) {
                return;
            }
        }
        bridges.finish(subject);
        afterBridges();
    }

    /** Takes the bridges to unsubscribe now; over HTTP they remain until the next stream. */
    List<byte[]> takeFinishedBridges() {
        return bridges.takeFinished().stream()
                .filter(subject -> !plain.containsKey(subject))
                .map(subject -> subject.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    /** Whether the subject is subscribed as a bridge, which must be unsubscribed first. */
    boolean isBridge(String subject) {
        return bridges.isOpen(subject);
    }

    void dropBridge(String subject) {
        bridges.forget(subject);
        afterBridges();
    }

    /** Patterns whose last bridge has ended have the positions that waited for it. */
    private void afterBridges() {
        for (Subscription pattern : patterns.values()) {
            PatternPosition waiting = pattern.progress().afterBridges();
            if (waiting != null && !isBridged(pattern)) {
                reached(pattern, waiting);
            }
        }
    }
}
