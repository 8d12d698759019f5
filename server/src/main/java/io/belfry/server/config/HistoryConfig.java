package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;

/** Bounds of each subject's history; all bounds apply together. A {@code cacheSize} of 0 keeps nothing. Immutable. */
public record HistoryConfig(
        Kind kind,
        int cacheSize,
        long cacheExpireMillis,
        long cacheMemoryBytes,
        Path folder,
        Sync sync,
        long diskBytes,
        int messageIdsMax) {
    /** Storage of the history. */
    public enum Kind {
        MEMORY,
        DISK
    }

    /** Time of the disk sync of an acknowledged publish: with a group of others, alone, or when the OS decides. */
    public enum Sync {
        GROUP,
        ALWAYS,
        OS
    }

    /** Value of {@code cacheExpireMillis} without expiry. Small enough that a time minus this value cannot overflow. */
    public static final long NO_EXPIRY = Long.MAX_VALUE >> 1;

    /** Maximum number of messages per subject; a database is better suited to more. */
    static final int MAX_CACHE_SIZE = 10_000_000;

    /** Minimum disk space: a few segments for each of many lanes. */
    static final long MIN_DISK_BYTES = 64L << 20;

    /** One message id per 64 bytes of Memory: all ids of a full default disk with records of 512 bytes. */
    static final int BYTES_PER_MESSAGE_ID = 64;

    public HistoryConfig {
        InvalidSetting.unlessWithin(0, MAX_CACHE_SIZE, "CacheSize", cacheSize);
        InvalidSetting.unless(
                cacheExpireMillis >= 1, "CacheExpireTime", cacheExpireMillis + " ms", "must be 1 ms or more");
        InvalidSetting.unless(diskBytes >= MIN_DISK_BYTES, "History.DiskBytes", diskBytes, "must be 64 MB or more");
        InvalidSetting.unless(
                kind != Kind.DISK || cacheSize > 0,
                "CacheSize",
                cacheSize,
                "keeps no messages, also not on disk; use History = memory");
        InvalidSetting.unlessWithin(1, Integer.MAX_VALUE, "Limit.MessageIds", messageIdsMax);
        InvalidSetting.unless(cacheMemoryBytes >= 0, "CacheMemory", cacheMemoryBytes, "must be 0 or more");
    }

    /** Returns whether this number of bytes is at least the minimum disk space. */
    public boolean holds(long bytes) {
        return bytes >= MIN_DISK_BYTES;
    }

    /** Returns whether messages expire because of their age. */
    public boolean expires() {
        return cacheExpireMillis < NO_EXPIRY;
    }

    /** Returns whether the history is disabled. */
    public boolean keepsNothing() {
        return cacheSize == 0;
    }
}
