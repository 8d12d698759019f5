package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * How many threads serve and how sessions are spread over them: {@code ioThreads} loops are divided among
 * {@code workgroups}. Immutable.
 */
public record WorkgroupConfig(int workgroups, int ioThreads, boolean benchmarkMode) {
    /** More lanes than this only add hand-overs between them; no machine tried had more to gain. */
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
