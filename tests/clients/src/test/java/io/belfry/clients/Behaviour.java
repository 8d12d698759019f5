package io.belfry.clients;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One row of the matrix: what every client must do, and the check of it. Immutable.
 *
 * @param group heading in the matrix
 * @param sentence the behaviour as a statement, unique in the suite
 * @param needs capabilities without which the behaviour is not applicable
 * @param mode how the check uses the driver
 */
record Behaviour(String group, String sentence, Set<String> needs, Mode mode, Check check) {
    /** How a check uses the driver. */
    enum Mode {
        /** Together with other checks in one driver. */
        SHARED,
        /** In the shared driver, for the time of the run. */
        LONG,
        /** In a driver of its own, because it measures or ends the process. */
        ALONE
    }

    /** Fails with an AssertionError if a client does not have the behaviour. */
    @FunctionalInterface
    interface Check {
        void run(Scene scene) throws Exception;
    }

    static Behaviour of(String group, String sentence, Check check, String... needs) {
        return new Behaviour(group, sentence, Set.of(needs), Mode.SHARED, check);
    }

    Behaviour needing(Set<String> more) {
        Set<String> all = new HashSet<>(needs);
        all.addAll(more);
        return new Behaviour(group, sentence, Set.copyOf(all), mode, check);
    }

    Behaviour in(Mode other) {
        return new Behaviour(group, sentence, needs, other, check);
    }

    /** Returns whether this is one of the behaviours that {@link #overEachWire} made of one check. */
    boolean isOverWire() {
        return Arrays.stream(Wire.values()).anyMatch(this::isOver);
    }

    /** Returns whether this is the behaviour over this wire. */
    boolean isOver(Wire wire) {
        return sentence.endsWith(" over " + wire.text());
    }

    /** Returns one behaviour for each wire. */
    static List<Behaviour> overEachWire(String group, String sentence, Mode mode, WireCheck check, String... needs) {
        return Arrays.stream(Wire.values())
                .map(wire -> of(group, sentence + " over " + wire.text(), scene -> check.run(scene, wire), needs)
                        .needing(wire.needs())
                        .in(mode))
                .toList();
    }

    /** Returns one behaviour for each wire except long polling, whose requests are answered before the interval ends. */
    static List<Behaviour> overEachStream(String group, String sentence, Mode mode, WireCheck check, String... needs) {
        return overEachWire(group, sentence, mode, check, needs).stream()
                .filter(each -> !each.sentence().endsWith(Wire.POLL.text()))
                .toList();
    }

    /** A check over one wire. */
    @FunctionalInterface
    interface WireCheck {
        void run(Scene scene, Wire wire) throws Exception;
    }
}
