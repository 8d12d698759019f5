package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about the log; {@code ConfigKey} lists them. Immutable. */
final class LogKeys {
    static final TopicKey STATS_LOG_INTERVAL = new TopicKey(
            ConfigTopic.LOGGING,
            "Stats.LogInterval",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "60 s",
            "Interval at which a line of figures is logged; 0 logs none.",
            Trait.RELOADABLE);

    static final TopicKey LOG_FOLDER = new TopicKey(
            ConfigTopic.LOGGING,
            "LogFolder",
            ValueType.path(),
            "logs",
            "Folder of the log files, relative to the folder in which the server is started.");

    static final TopicKey LOG_LEVEL = new TopicKey(
            ConfigTopic.LOGGING,
            "LogLevel",
            ValueType.choice("TRACE", "DEBUG", "INFO", "WARN", "ERROR"),
            "INFO",
            "Lowest level that is logged.",
            Trait.RELOADABLE);

    static final TopicKey LOG_ROTATE_LIMIT = new TopicKey(
            ConfigTopic.LOGGING,
            "LogRotateLimit",
            ValueType.size(SizeUnit.B, 4096, Long.MAX_VALUE),
            "10 MB",
            "Size at which a log file is closed and a new one started.");

    static final TopicKey LOG_ROTATE_FILE_COUNT = new TopicKey(
            ConfigTopic.LOGGING, "LogRotateFileCount", ValueType.number(1, 1000), "10", "Number of log files kept.");

    private LogKeys() {}
}
