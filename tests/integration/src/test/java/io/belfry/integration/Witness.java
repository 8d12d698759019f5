package io.belfry.integration;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What one application sees, over however many connections: of each subject every message once and in order, by its
 * position and by its publisher's own numbers, or an announced gap of a kind that may be. Everything else is a fault. One
 * whose subscriptions conflate may have live messages step over others, and nothing else; that it ends at each subject's
 * latest message the run looks for.
 * Owner: its follower's thread; positions are for any thread.
 */
final class Witness {
    /** A gap ends where the numbers of its publishers are not known. */
    private static final long UNKNOWN = -1;

    private final String name;
    private final Ledger ledger;
    private final Faults faults;
    private final BiPredicate<String, String> mayGap;
    private final boolean conflating;
    private final Map<String, Position> positions = new ConcurrentHashMap<>();
    private final Map<String, Sight> sights = new TreeMap<>();
    private long steppedOver;

    /** How one subject's messages followed each other. */
    private static final class Sight {
        private final Map<Integer, Long> numbers = new TreeMap<>();
        private boolean snapshotMayCome = true;
        private boolean gapDue;
        private int gaps;
    }

    /** {@code mayGap}: whether the bounds of this run allow a gap of a subject for a reason. */
    Witness(String name, Ledger ledger, Faults faults, BiPredicate<String, String> mayGap, boolean conflating) {
        this.name = name;
        this.ledger = ledger;
        this.faults = faults;
        this.mayGap = mayGap;
        this.conflating = conflating;
    }

    String name() {
        return name;
    }

    /** Where it goes on from; null while nothing of the subject came. */
    @Nullable
    Position at(String subject) {
        return positions.get(subject);
    }

    /** The subjects of which something came, or a position was told. */
    Set<String> known() {
        return Set.copyOf(positions.keySet());
    }

    boolean hasReached(String subject, @Nullable Position end) {
        return end != null && end.equals(positions.get(subject));
    }

    @Override
    public String toString() {
        return name + " " + positions;
    }

    int gaps() {
        return sights.values().stream().mapToInt(sight -> sight.gaps).sum();
    }

    /** Messages that conflating left out. */
    long steppedOver() {
        return steppedOver;
    }

    private Sight sight(String subject) {
        return sights.computeIfAbsent(subject, each -> new Sight());
    }

    private void fault(String what) {
        faults.add(name, what);
    }

    void subscribed(String subject, @Nullable Position at, Recovery recovery, boolean resumed) {
        Sight sight = sight(subject);
        if (resumed == (recovery == Recovery.NONE)) {
            fault("recovery " + recovery + " of " + subject + (resumed ? " with" : " without") + " a position");
        }
        sight.gapDue = recovery == Recovery.GAP;
        if (!resumed && at != null) {
            sight.snapshotMayCome = true;
            positions.putIfAbsent(subject, at);
        }
    }

    /** Beginning from a place that another told, as one who read the history up to there. */
    void startingAt(String subject, Position at) {
        positions.putIfAbsent(subject, at);
    }

    void message(String subject, Position at, String data, MessageType type) {
        Numbered message;
        try {
            message = Numbered.of(data);
        } catch (IllegalArgumentException e) {
            fault("at " + at + " of " + subject + " came " + e.getMessage());
            return;
        }
        ledger.delivered(name, subject, at, message);
        if (type == MessageType.SNAPSHOT) {
            snapshot(subject, at);
        } else {
            next(subject, at, message, conflating && type == MessageType.LIVE);
        }
    }

    /** It stands outside the order, but never after what is newer. */
    private void snapshot(String subject, Position at) {
        Position reached = positions.get(subject);
        boolean newer = reached != null && (reached.epoch() != at.epoch() || at.seq() > reached.seq());
        if (!sight(subject).snapshotMayCome || newer) {
            fault("snapshot of " + at + " of " + subject + " after " + reached);
        }
    }

    private void next(String subject, Position at, Numbered message, boolean mayStepOver) {
        Sight sight = sight(subject);
        Position before = positions.put(subject, at);
        sight.snapshotMayCome = false;
        if (sight.gapDue) {
            fault("a gap of " + subject + " was promised, and " + at + " came");
            sight.gapDue = false;
        }
        if (mayStepOver && before != null && before.epoch() == at.epoch() && at.seq() > before.seq() + 1) {
            steppedOver += at.seq() - before.seq() - 1;
            sight.numbers.replaceAll((publisher, number) -> UNKNOWN);
        } else if (before != null && (before.epoch() != at.epoch() || at.seq() != before.seq() + 1)) {
            fault(kind(before, at) + ": after " + before + " of " + subject + " came " + at);
        }
        @Nullable Long last = sight.numbers.put(message.publisher(), message.number());
        if (last != null && last != UNKNOWN && message.number() != last + 1) {
            fault("after number " + last + " of " + subject + " came " + message + " at " + at);
        }
    }

    private static String kind(Position before, Position at) {
        if (before.epoch() != at.epoch()) {
            return "another epoch unannounced";
        }
        return at.seq() > before.seq() ? "lost" : "doubled or out of order";
    }

    void gap(String subject, @Nullable Position from, @Nullable Position to, String reason) {
        Sight sight = sight(subject);
        Position before = positions.get(subject);
        sight.gaps++;
        sight.gapDue = false;
        sight.snapshotMayCome = true;
        if (!mayGap.test(subject, reason)) {
            fault("a gap of " + subject + " from " + from + " to " + to + ": " + reason);
        }
        if (to == null) {
            fault("a gap of " + subject + " without an end: " + reason);
            return;
        }
        if (before != null && !before.equals(from)) {
            fault("a gap of " + subject + " from " + from + " after " + before);
        }
        if (from != null && (to.epoch() == from.epoch() ? to.seq() <= from.seq() : reason.equals("history-gone"))) {
            fault("a gap of " + subject + " that is none, from " + from + " to " + to + ": " + reason);
        }
        positions.put(subject, to);
        sight.numbers.replaceAll((publisher, number) -> UNKNOWN);
    }
}
