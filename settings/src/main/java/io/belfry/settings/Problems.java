package io.belfry.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Collects the errors of a configuration, so that one run reports all of them. Owner: the thread that loads the
 * settings.
 */
public final class Problems {
    private final Settings settings;
    private final List<Problem> found;

    /** Begins with the problems that were found while the settings were read. */
    public Problems(Settings settings) {
        this.settings = settings;
        this.found = new ArrayList<>(settings.problems());
    }

    /** Adds a problem. */
    public void add(Problem problem) {
        found.add(problem);
    }

    /** Adds a problem with the value of this key; its source is taken from the settings. */
    public void add(Key key, String rule) {
        add(settings.problem(key.keyName(), rule));
    }

    /**
     * Builds a configuration record. If its constructor throws {@link InvalidSetting}, adds a problem and returns
     * empty.
     */
    public <T> Optional<T> attempt(Supplier<T> construction) {
        try {
            return Optional.of(construction.get());
        } catch (InvalidSetting invalid) {
            add(settings.problem(invalid.keyName(), invalid.rule()));
            return Optional.empty();
        }
    }

    /** Returns the problems found so far. */
    public List<Problem> found() {
        return List.copyOf(found);
    }

    /** Throws a {@link SettingsException} with all problems, if there are any. */
    public void throwIfAny() {
        if (!found.isEmpty()) throw new SettingsException(found);
    }
}
