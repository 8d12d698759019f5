package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.Set;

/** Settings of the log and its files. A {@code statsIntervalMillis} of 0 logs no statistics. Immutable. */
public record LogConfig(
        long statsIntervalMillis, Path folder, String level, long rotateLimitBytes, int rotateFileCount) {
    private static final Set<String> LEVELS = Set.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR");

    public LogConfig {
        InvalidSetting.unless(
                statsIntervalMillis == 0 || statsIntervalMillis >= 1000,
                "Stats.LogInterval",
                statsIntervalMillis + " ms",
                "must be 0, or at least 1 s");
        InvalidSetting.unless(LEVELS.contains(level), "LogLevel", level, "must be TRACE, DEBUG, INFO, WARN or ERROR");
        InvalidSetting.unless(rotateLimitBytes >= 4096, "LogRotateLimit", rotateLimitBytes, "must be 4 KB or more");
        InvalidSetting.unlessWithin(1, 1000, "LogRotateFileCount", rotateFileCount);
    }
}
