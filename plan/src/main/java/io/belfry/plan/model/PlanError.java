package io.belfry.plan.model;

import java.util.Locale;

/** A request without an answer: a stable code for programs and a sentence for people. */
public final class PlanError extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /** The reasons for an error. Programs read them, so they do not change. */
    public enum Code {
        BAD_VALUE,
        CONTRADICTION,
        UNKNOWN_COEFFICIENT,
        BAD_COEFFICIENTS,
        /** The request is valid, but no number of nodes is enough. */
        DOES_NOT_FIT;

        /** Returns the code as it is printed, such as {@code bad-value}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Code code;

    /** Creates an error with a sentence that names the value, the rule and the remedy. */
    public PlanError(Code code, String sentence) {
        super(sentence);
        this.code = code;
    }

    /** Returns the error for a value that breaks a rule. */
    public static PlanError badValue(String name, String rule, String found) {
        return new PlanError(Code.BAD_VALUE, name + " " + rule + ", not '" + found + "'");
    }

    /** Throws a contradiction unless the options agree. */
    public static void requireConsistent(boolean holds, String sentence) {
        if (!holds) {
            throw new PlanError(Code.CONTRADICTION, sentence);
        }
    }

    /** Returns the reason. */
    public Code code() {
        return code;
    }
}
