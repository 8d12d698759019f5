package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Number of threads and their grouping: {@code ioThreads} event loops are divided among {@code workgroups}. Immutable.
 *
 * @param homesNearSubscribers whether the first subscriber of a subject decides which event loop is its home
 * @param joinsQuietLoops whether one thread runs all event loops while they have little to do
 */
public record WorkgroupConfig(
        int workgroups, int ioThreads, boolean homesNearSubscribers, boolean joinsQuietLoops, boolean benchmarkMode) {
    /** Maximum number of lanes. More lanes add transfers between lanes, and no measured machine became faster. */
    public static final int MAX_IO_THREADS = 64;

    public WorkgroupConfig {
        InvalidSetting.unlessWithin(1, MAX_IO_THREADS, "Workgroups", workgroups);
        InvalidSetting.unlessWithin(1, MAX_IO_THREADS, "IoThreads", ioThreads);
        InvalidSetting.unless(
                ioThreads >= workgroups,
                "IoThreads",
                ioThreads,
                "must not be less than Workgroups (" + workgroups + "): each workgroup needs a thread");
    }
}
