package io.belfry.plan.model;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * A coefficient of the model: its value and origin. Immutable.
 *
 * @param name on the command line and in formulas: {@code cpu-delivery}
 * @param what the cost that the value stands for
 * @param source the command that measured it and the page with the result, or how it was computed
 * @param date day of the measurement, as {@code 2026-11-20}
 */
public record Coefficient(String name, double value, Unit unit, Basis basis, String what, String source, String date) {
    /** The reliability of a value; the names are words of the file format. */
    public enum Basis {
        /** Measured on this project's machine by a command that can be repeated. */
        MEASURED,
        /** Computed from a format or a rule, not from a run. */
        RECKONED,
        /** Taken from a prototype or estimated; measure it before relying on a plan that it bounds. */
        ASSUMED,
        /** Set by the user. */
        GIVEN;

        /** Returns the word used in files and reports. */
        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the value with its unit. */
    public String shown() {
        return unit.show(value);
    }
}
