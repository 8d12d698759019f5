package io.belfry.integration;

import java.util.ArrayList;
import java.util.List;

/** What should never have been, as any of a run's actors saw it. Any thread. */
final class Faults {
    private static final int KEPT = 20;

    private final List<String> told = new ArrayList<>();
    private int count;

    synchronized void add(String who, String what) {
        count++;
        if (told.size() < KEPT) {
            told.add(who + ": " + what);
        }
    }

    synchronized int count() {
        return count;
    }

    /** The first of them. */
    synchronized List<String> told() {
        return List.copyOf(told);
    }
}
