package io.belfry.testsupport;

import java.util.List;
import java.util.stream.Stream;

/**
 * Decides how much of a long test runs. The Maven profile {@code complete} sets the system property
 * {@code belfry.complete}; then every variant runs, at full length. Otherwise one variant runs, shortened, because the run
 * before each commit has to be short. A test that only the complete form runs has the tag {@code complete}.
 */
public final class TestScope {
    private static final boolean COMPLETE = Boolean.getBoolean("belfry.complete");

    private TestScope() {}

    /** Returns whether the complete form runs. */
    public static boolean isComplete() {
        return COMPLETE;
    }

    /** Returns the length, such as seconds or a number of seeds, of this run. */
    public static int length(int complete, int brief) {
        return COMPLETE ? complete : brief;
    }

    /** Returns the number of seeds that a test plays: {@code -Dbelfry.seeds}, or the number of this run. */
    public static int seeds(int complete, int brief) {
        return Integer.getInteger("belfry.seeds", length(complete, brief));
    }

    /** Returns the variants of this run: all of them, or the first. */
    public static <T> Stream<T> variants(List<T> all) {
        return all.stream().limit(COMPLETE ? all.size() : 1);
    }
}
