package io.belfry.server.home;

import io.belfry.server.config.EventConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Turn;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Reports to the application which subjects with the option {@code events=subscribers} have subscribers on this node. A subject
 * whose last subscriber has left is reported after {@code Events.VacantTime}, unless it gets another subscriber before. The end is
 * reported exactly for the subjects whose begin was reported, whatever a reload changes meanwhile. Owner: the lane's loop.
 */
public final class OccupiedSubjects {
    /** Receives the subjects that got their first subscriber by name, and those that have lost their last one. */
    public interface Observer {
        void onOccupied(String subject);

        void onVacated(String subject);
    }

    private final Turn turn;
    private final LongWork work;
    private final LaneOptions options;
    private final LoopCounters counters;
    private final Observer observer;
    private final long vacantNanos;
    private final int vacantMax;

    /** The subjects that were reported as occupied, and not as vacated since. */
    private final Set<String> occupied = new HashSet<>();

    /** The occupied subjects without subscribers, with the times at which they are reported, in the order of these times. */
    private final Map<String, Long> vacant = new LinkedHashMap<>();

    private boolean settling;

    /** Creates the lane's part; {@code vacantMax} is the maximum number of subjects whose end waits. */
    public OccupiedSubjects(
            Turn turn,
            LongWork work,
            LaneOptions options,
            LoopCounters counters,
            Observer observer,
            EventConfig.Vacancy vacancy,
            int vacantMax) {
        this.turn = turn;
        this.work = work;
        this.options = options;
        this.counters = counters;
        this.observer = observer;
        vacantNanos = vacancy.millis() * 1_000_000;
        this.vacantMax = vacantMax;
    }

    /** Called when a subject of this home has got its first subscriber, or lost its last one. */
    void onFollowed(SubjectKey subject, boolean now) {
        if (now) {
            onFirst(subject);
        } else if (!occupied.isEmpty()) {
            onLast(name(subject));
        }
    }

    private void onFirst(SubjectKey subject) {
        if (options.isEmpty() && occupied.isEmpty()) {
            return;
        }
        String name = name(subject);
        boolean reported = vacant.remove(name) != null;
        if (!reported && options.of(subject).events().ofSubscribers() && occupied.add(name)) {
            observer.onOccupied(name);
        }
    }

    private static String name(SubjectKey subject) {
        return new String(subject.bytes(), 0, subject.length(), StandardCharsets.UTF_8);
    }

    private void onLast(String name) {
        if (!occupied.contains(name)) {
            return;
        }
        vacant.put(name, turn.nowNanos() + vacantNanos);
        if (vacant.size() > vacantMax) {
            counters.increment(Counter.SUBJECTS_VACATED_EARLY);
            vacate();
        }
    }

    /** Reports the subjects whose time has passed; the next turns continue if they are many. Called periodically. */
    public void tick() {
        if (!settling && isDue()) {
            settling = true;
            work.begin(() -> {
                if (isDue()) {
                    vacate();
                }
                settling = isDue();
                return settling;
            });
        }
    }

    private boolean isDue() {
        return !vacant.isEmpty() && vacant.values().iterator().next() - turn.nowNanos() <= 0;
    }

    /** Reports the subject that has had no subscriber for the longest time. */
    private void vacate() {
        String oldest = vacant.keySet().iterator().next();
        vacant.remove(oldest);
        occupied.remove(oldest);
        observer.onVacated(oldest);
    }
}
