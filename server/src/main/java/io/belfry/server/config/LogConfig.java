package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.Set;

/** What is logged, where, and how much of it is kept. A {@code statsIntervalMillis} of 0 logs no figures. Immutable. */
public record LogConfig(
        long statsIntervalMillis, Path folder, String level, long rotateLimitBytes, int rotateFileCount) {
    private static final Set<String> LEVELS = Set.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR");

    public LogConfig {
        InvalidSetting.unless(
                statsIntervalMillis == 0 || statsIntervalMillis >= 1000,
                "Stats.LogInterval",
                statsIntervalMillis + " ms",
                "must be 0 or 1 s or more");
        InvalidSetting.unless(LEVELS.contains(level), "LogLevel", level, "must be TRACE, DEBUG, INFO, WARN or ERROR");
        InvalidSetting.unless(rotateLimitBytes >= 4096, "LogRotateLimit", rotateLimitBytes, "must be 4 KB or more");
        InvalidSetting.unlessWithin(1, 1000, "LogRotateFileCount", rotateFileCount);
    }
}
