package io.belfry.server.doctor;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One shortfall of the host against the configuration, and the lines that mend it. Immutable.
 *
 * @param what is short, with the figure found and the figure needed
 * @param mend commands or configuration lines, ready to be copied
 */
public record Finding(Severity severity, String what, List<String> mend) {
    /** How bad it is at the load the configuration allows. */
    public enum Severity {
        /** Connections fail, messages are lost or the process dies. */
        SERIOUS,
        /** It works, slower or with less reserve than it could. */
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

    /** For a terminal: the shortfall, and below it the lines that mend it. */
    @Override
    public String toString() {
        return mend.stream()
                .map(line -> "\n        mend: " + line)
                .collect(Collectors.joining(
                        "", severity == Severity.SERIOUS ? "SERIOUS " + what : "advice  " + what, ""));
    }
}
