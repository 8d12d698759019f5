package io.belfry.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Collects what is wrong until everything has been looked at. Owner: the thread that loads the settings.
 */
public final class Problems {
    private final Settings settings;
    private final List<Problem> found;

    /** Begins with the problems that reading the settings has found. */
    public Problems(Settings settings) {
        this.settings = settings;
        this.found = new ArrayList<>(settings.problems());
    }

    public void add(Problem problem) {
        found.add(problem);
    }

    /** A rule broken by the value of this key, wherever that value comes from. */
    public void add(Key key, String rule) {
        add(settings.problem(key.keyName(), rule));
    }

    /** Builds a configuration record; if its constructor refuses, keeps the reason and returns empty. */
    public <T> Optional<T> attempt(Supplier<T> construction) {
        try {
            return Optional.of(construction.get());
        } catch (InvalidSetting invalid) {
            add(settings.problem(invalid.keyName(), invalid.rule()));
            return Optional.empty();
        }
    }

    public List<Problem> found() {
        return List.copyOf(found);
    }

    public void throwIfAny() {
        if (!found.isEmpty()) throw new SettingsException(found);
    }
}
