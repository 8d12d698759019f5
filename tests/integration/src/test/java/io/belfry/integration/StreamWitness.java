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
 * Checks the messages that one application receives over all its connections. Each subject must deliver every message
 * once and in order, by its position and by its publisher's numbers, or announce an allowed gap; anything else is a
 * fault. A conflating stream may also skip live messages. The run checks that each stream ends at its subject's latest
 * message. Owner: its follower's thread; any thread may read positions.
 */
public final class StreamWitness {
    /** After a gap the publishers' numbers are unknown. */
    private static final long UNKNOWN = -1;

    private final String name;
    private final Ledger ledger;
    private final FaultList faults;
    private final BiPredicate<String, String> mayGap;
    private final boolean conflating;
    private final Map<String, Position> positions = new ConcurrentHashMap<>();
    private final Map<String, View> views = new TreeMap<>();
    private volatile boolean seqsHaveHoles;
    private long conflatedMessages;

    /** The order of one subject's messages. */
    private static final class View {
        private final Map<Integer, Long> numbers = new TreeMap<>();
        private boolean snapshotMayCome = true;
        private boolean gapDue;
        private int gaps;
    }

    /** {@code mayGap}: whether this run allows a gap of a subject for a reason. */
    public StreamWitness(
            String name, Ledger ledger, FaultList faults, BiPredicate<String, String> mayGap, boolean conflating) {
        this.name = name;
        this.ledger = ledger;
        this.faults = faults;
        this.mayGap = mayGap;
        this.conflating = conflating;
    }

    /**
     * Accepts seqs that skip numbers, as those of a cluster do. The numbers of the publishers alone prove then that no
     * message is missing.
     */
    public void acceptHolesInSeqs() {
        seqsHaveHoles = true;
    }

    String name() {
        return name;
    }

    /** Returns the position from which to resume, or null before the first message of the subject. */
    public @Nullable Position at(String subject) {
        return positions.get(subject);
    }

    /** Returns the subjects for which a message or a position was received. */
    Set<String> known() {
        return Set.copyOf(positions.keySet());
    }

    public boolean hasReached(String subject, @Nullable Position end) {
        return end != null && end.equals(positions.get(subject));
    }

    /** Returns the number of messages that follow the received ones, as far as these are of the same epoch. */
    public long behind(Map<String, Position> ends) {
        return positions.entrySet().stream()
                .mapToLong(each -> {
                    @Nullable Position end = ends.get(each.getKey());
                    Position reached = each.getValue();
                    return end == null || end.epoch() != reached.epoch() ? 0 : end.seq() - reached.seq();
                })
                .sum();
    }

    @Override
    public String toString() {
        return name + " " + positions;
    }

    public int gaps() {
        return views.values().stream().mapToInt(view -> view.gaps).sum();
    }

    /** Returns the number of messages skipped by conflation. */
    public long conflatedMessages() {
        return conflatedMessages;
    }

    private View view(String subject) {
        return views.computeIfAbsent(subject, each -> new View());
    }

    private void fault(String what) {
        faults.add(name, what);
    }

    void subscribed(String subject, @Nullable Position at, Recovery recovery, boolean resumed) {
        View view = view(subject);
        if (resumed == (recovery == Recovery.NONE)) {
            fault("recovery " + recovery + " of " + subject + (resumed ? " with" : " without") + " a position");
        }
        view.gapDue = recovery == Recovery.GAP;
        if (!resumed && at != null) {
            view.snapshotMayCome = true;
            positions.putIfAbsent(subject, at);
        }
    }

    /** Starts at a position received from another stream, as after reading the history up to there. */
    public void startAt(String subject, Position at) {
        positions.putIfAbsent(subject, at);
    }

    public void message(String subject, Position at, String data, MessageType type) {
        Numbered message;
        try {
            message = Numbered.of(data);
        } catch (IllegalArgumentException e) {
            fault("at " + at + " of " + subject + ": " + e.getMessage());
            return;
        }
        ledger.delivered(name, subject, at, message);
        if (type == MessageType.SNAPSHOT) {
            snapshot(subject, at);
        } else {
            next(subject, at, message, conflating && type == MessageType.LIVE);
        }
    }

    /** A snapshot is outside the order, but must not follow a newer message. */
    private void snapshot(String subject, Position at) {
        Position reached = positions.get(subject);
        boolean newer = reached != null && (reached.epoch() != at.epoch() || at.seq() > reached.seq());
        if (!view(subject).snapshotMayCome || newer) {
            fault("snapshot of " + at + " of " + subject + " after " + reached);
        }
    }

    private void next(String subject, Position at, Numbered message, boolean mayStepOver) {
        View view = view(subject);
        Position before = positions.put(subject, at);
        view.snapshotMayCome = false;
        if (view.gapDue) {
            fault("expected a gap of " + subject + ", received a message at " + at);
            view.gapDue = false;
        }
        if (mayStepOver && before != null && before.epoch() == at.epoch() && at.seq() > before.seq() + 1) {
            conflatedMessages += at.seq() - before.seq() - 1;
            view.numbers.replaceAll((publisher, number) -> UNKNOWN);
        } else if (before != null && !follows(before, at)) {
            fault(kind(before, at) + ": " + at + " of " + subject + " after " + before);
        }
        @Nullable Long last = view.numbers.put(message.publisher(), message.number());
        if (last != null && last != UNKNOWN && message.number() != last + 1) {
            fault(message + " at " + at + " of " + subject + " received after number " + last);
        }
    }

    private boolean follows(Position before, Position at) {
        return before.epoch() == at.epoch() && (seqsHaveHoles ? at.seq() > before.seq() : at.seq() == before.seq() + 1);
    }

    private static String kind(Position before, Position at) {
        if (before.epoch() != at.epoch()) {
            return "new epoch without a gap";
        }
        return at.seq() > before.seq() ? "lost" : "duplicate or out of order";
    }

    /** Takes a gap of a pattern: messages of any subject may be missing before the next one of it. */
    void gapOfPattern(String pattern, String reason) {
        if (!mayGap.test(pattern, reason)) {
            fault("a gap of the pattern " + pattern + ": " + reason);
        }
        view(pattern).gaps++;
        views.values().forEach(view -> {
            view.snapshotMayCome = true;
            view.numbers.replaceAll((publisher, number) -> UNKNOWN);
        });
        positions.clear();
    }

    public void gap(String subject, @Nullable Position from, @Nullable Position to, String reason) {
        View view = view(subject);
        Position before = positions.get(subject);
        view.gaps++;
        view.gapDue = false;
        view.snapshotMayCome = true;
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
            fault("a gap of " + subject + " that is empty, from " + from + " to " + to + ": " + reason);
        }
        positions.put(subject, to);
        view.numbers.replaceAll((publisher, number) -> UNKNOWN);
    }
}
