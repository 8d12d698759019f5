package io.belfry.attack.run;

import io.belfry.attack.run.ServerSnapshot.Memory;
import java.util.List;
import java.util.Optional;

/**
 * The result of one attack. Immutable.
 *
 * @param faults what went wrong; empty: the server held, or the attack was skipped
 * @param notes what the attack did and how the server reacted, or why it was skipped
 * @param figures empty if the attack did not run to its end
 */
public record AttackResult(
        String name, boolean skipped, List<String> faults, List<String> notes, Optional<Figures> figures) {
    /**
     * The figures of an attack that ran to its end.
     *
     * @param peakBytes peak resident set size during the attack, 0 if the system does not report it
     */
    public record Figures(double seconds, ClientFigures clients, Memory before, Memory after, long peakBytes) {}

    /** Returns the result of an attack that does not apply to this configuration. */
    static AttackResult skipped(String name, String reason) {
        return new AttackResult(name, true, List.of(), List.of(reason), Optional.empty());
    }

    /** Returns the result if the server ended or the attack itself failed. */
    static AttackResult failed(String name, String reason) {
        return new AttackResult(name, false, List.of(reason), List.of(), Optional.empty());
    }

    /** Returns the verdict as it is printed and written to JSON. */
    public String verdict() {
        return skipped ? "skipped" : passed() ? "held" : "gave way";
    }

    /** Returns whether this result allows exit code 0. */
    public boolean passed() {
        return faults.isEmpty();
    }
}
