package io.belfry.server.config;

import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about the history; {@code ConfigKey} lists them. Immutable. */
final class HistoryKeys {
    static final TopicKey CACHE_SIZE = new TopicKey(
            ConfigTopic.HISTORY,
            "CacheSize",
            ValueType.number(0, HistoryConfig.MAX_CACHE_SIZE),
            "1000",
            "Number of messages kept per subject for recovery and history; 0 keeps none.");

    static final TopicKey CACHE_EXPIRE_TIME = new TopicKey(
            ConfigTopic.HISTORY,
            "CacheExpireTime",
            ValueType.time(TimeScale.S, 0, HistoryConfig.NO_EXPIRY),
            "180 s",
            "Maximum age of a kept message; 0 is no limit, which is the default with `History = disk`."
                    + " `bin/belfry check` prints the window that results from this chapter.");

    static final TopicKey CACHE_MEMORY = new TopicKey(
            ConfigTopic.HISTORY,
            "CacheMemory",
            ValueType.share(),
            "25 %",
            "Maximum number of bytes that all messages kept in memory take, or a percentage of `Memory`; the"
                    + " oldest are evicted first. `History.DiskBytes` is the limit with `History = disk`.");

    static final TopicKey HISTORY = new TopicKey(
            ConfigTopic.HISTORY,
            "History",
            ValueType.choice("memory", "disk"),
            "memory",
            "Storage of messages: `memory`, or `disk`, which survives a restart and a kill. With `disk` a"
                    + " publish is acknowledged and delivered when it is on disk as `History.Sync` defines.");

    static final TopicKey HISTORY_FOLDER = new TopicKey(
            ConfigTopic.HISTORY,
            "History.Folder",
            ValueType.path(),
            "data",
            "Folder for `History = disk`, relative to the folder in which the server is started.");

    static final TopicKey HISTORY_SYNC = new TopicKey(
            ConfigTopic.HISTORY,
            "History.Sync",
            ValueType.choice("group", "always", "os"),
            "group",
            "Moment at which `History = disk` counts a publish as stored: synced to disk together with its"
                    + " `group`, synced `always` on its own, or written to the `os`. The last survives a kill of the"
                    + " server but not a power failure.");

    static final TopicKey HISTORY_DISK_BYTES = new TopicKey(
            ConfigTopic.HISTORY,
            "History.DiskBytes",
            ValueType.size(SizeUnit.B, HistoryConfig.MIN_DISK_BYTES, Long.MAX_VALUE),
            "4 GB",
            "Maximum number of bytes that `History = disk` takes, shared evenly among the event loops; the"
                    + " oldest messages are removed first. At least four times `Limit.RetainedBytes`.");

    private HistoryKeys() {}
}
