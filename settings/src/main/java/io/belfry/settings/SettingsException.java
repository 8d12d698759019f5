package io.belfry.settings;

import java.util.List;
import java.util.stream.Collectors;

/** The settings cannot be used; carries every problem found, so that one run shows them all. */
public final class SettingsException extends RuntimeException {
    private final transient List<Problem> problems;

    public SettingsException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }
}
