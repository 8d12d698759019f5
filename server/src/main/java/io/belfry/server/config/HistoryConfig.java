package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;

/** What is kept of each subject for recovery: all bounds hold at once; a {@code cacheSize} of 0 keeps nothing. Immutable. */
public record HistoryConfig(
        Kind kind,
        int cacheSize,
        long cacheExpireMillis,
        long cacheMemoryBytes,
        Path folder,
        Sync sync,
        long diskBytes) {
    /** Where history is kept. */
    public enum Kind {
        MEMORY,
        DISK
    }

    /** When an acknowledged publish is on disk: written with its group, each by itself, or when the system likes. */
    public enum Sync {
        GROUP,
        ALWAYS,
        OS
    }

    /** More messages of one subject than this belong into a database. */
    static final int MAX_CACHE_SIZE = 10_000_000;

    /** Some segments for each of many lanes. */
    static final long MIN_DISK_BYTES = 64L << 20;

    public HistoryConfig {
        InvalidSetting.unlessWithin(0, MAX_CACHE_SIZE, "CacheSize", cacheSize);
        InvalidSetting.unless(
                cacheExpireMillis >= 1, "CacheExpireTime", cacheExpireMillis + " ms", "must be 1 ms or more");
        InvalidSetting.unless(diskBytes >= MIN_DISK_BYTES, "History.DiskBytes", diskBytes, "must be 64 MB or more");
        InvalidSetting.unless(
                kind != Kind.DISK || cacheSize > 0,
                "CacheSize",
                cacheSize,
                "keeps nothing, on disk neither; use History = memory");
        InvalidSetting.unless(cacheMemoryBytes >= 0, "CacheMemory", cacheMemoryBytes, "must be 0 or more");
    }

    /** Whether so many bytes of disk are enough for any history. */
    public boolean holds(long bytes) {
        return bytes >= MIN_DISK_BYTES;
    }

    public boolean keepsNothing() {
        return cacheSize == 0;
    }
}
