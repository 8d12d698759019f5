package io.belfry.integration;

import java.util.ArrayList;
import java.util.List;

/** Collects the faults that the participants of a run detect. Any thread. */
public final class FaultList {
    private static final int KEPT = 20;

    private final List<String> first = new ArrayList<>();
    private int count;

    public synchronized void add(String who, String what) {
        count++;
        if (first.size() < KEPT) {
            first.add(who + ": " + what);
        }
    }

    public synchronized int count() {
        return count;
    }

    /** Returns the first faults. */
    public synchronized List<String> first() {
        return List.copyOf(first);
    }
}
