package io.belfry.testsupport;

import java.util.List;
import java.util.stream.Stream;

/**
 * Decides how much of a long test runs. The Maven profile {@code complete} sets the system property
 * {@code belfry.complete}; then every variant runs, at full length. Otherwise one variant runs, shortened, so that the run
 * before each commit touches every fact once. A test that adds no fact to the short run has the tag {@code complete}.
 */
public final class TestScope {
    private static final boolean COMPLETE = Boolean.getBoolean("belfry.complete");

    private TestScope() {}

    /** Returns the length, such as seconds or a number of seeds, of this run. */
    public static int length(int complete, int brief) {
        return COMPLETE ? complete : brief;
    }

    /** Returns the variants of this run: all of them, or the first. */
    public static <T> Stream<T> variants(List<T> all) {
        return all.stream().limit(COMPLETE ? all.size() : 1);
    }
}
