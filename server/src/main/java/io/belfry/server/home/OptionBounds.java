package io.belfry.server.home;

import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.history.SubjectBounds;

/** The bounds of histories, as the options of the subjects define them. Immutable. */
public record OptionBounds(LaneOptions options, boolean keeps) implements SubjectBounds {
    @Override
    public int size(int subject) {
        return options.of(subject).historySize();
    }

    @Override
    public long expireMillis(int subject) {
        return options.of(subject).historyMillis();
    }

    @Override
    public long bytes(int subject) {
        return options.of(subject).historyBytes();
    }
}
