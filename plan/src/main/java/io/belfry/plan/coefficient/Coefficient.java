package io.belfry.plan.coefficient;

import java.util.Locale;

/**
 * One figure and where it comes from. Immutable.
 *
 * @param what what it is the cost of
 * @param source the command that measured it and the page that has it, or what it was reckoned from
 * @param date when, as {@code 2026-11-20}
 */
public record Coefficient(Factor factor, double value, Basis basis, String what, String source, String date) {
    /** How far a figure can be trusted. */
    public enum Basis {
        /** On this project's machine, by a command that can be run again. */
        MEASURED,
        /** From a format or a rule, not from a run. */
        RECKONED,
        /** Of a part, of a prototype, or nobody's: measure it before relying on what it bounds. */
        ASSUMED,
        /** By the user who set it. */
        GIVEN;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public String shown() {
        return factor.unit().show(value);
    }
}
