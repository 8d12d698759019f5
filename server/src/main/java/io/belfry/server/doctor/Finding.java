package io.belfry.server.doctor;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One mismatch between host and configuration, with lines that fix it. Immutable.
 *
 * @param what the quantity, with the figure found and the figure needed
 * @param mend commands or configuration lines, ready to be copied
 */
public record Finding(Severity severity, String what, List<String> mend) {
    /** The effect at the load that the configuration allows. */
    public enum Severity {
        /** Connections fail, messages are lost or the process dies. */
        SERIOUS,
        /** The server works, but slower or with less reserve. */
        ADVICE
    }

    public Finding {
        mend = List.copyOf(mend);
    }

    static Finding serious(String what, String... mend) {
        return new Finding(Severity.SERIOUS, what, List.of(mend));
    }

    static Finding advice(String what, String... mend) {
        return new Finding(Severity.ADVICE, what, List.of(mend));
    }

    /** Returns the text for a terminal: the finding, followed by the lines that fix it. */
    @Override
    public String toString() {
        return mend.stream()
                .map(line -> "\n        fix: " + line)
                .collect(Collectors.joining(
                        "", severity == Severity.SERIOUS ? "SERIOUS " + what : "advice  " + what, ""));
    }
}
