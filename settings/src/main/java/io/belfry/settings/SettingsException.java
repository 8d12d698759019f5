package io.belfry.settings;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown if the settings cannot be used; carries all problems, so that one run reports all of them. */
public final class SettingsException extends RuntimeException {
    private final transient List<Problem> problems;

    public SettingsException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** Returns all problems that were found. */
    public List<Problem> problems() {
        return problems;
    }
}
