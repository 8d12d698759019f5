package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * How much a client may ask for, and how much the server knows for all of them. Of {@code requestRate},
 * {@code commandRate} and {@code patternsPerSession} 0 means no limit. Immutable.
 *
 * @param requestRate HTTP requests per second of a connection
 * @param commandRate commands per second of a session, publishes apart
 * @param subjects entries of the lanes' subject tables
 * @param patterns subscriptions to patterns
 * @param patternsPerSession those of one session
 * @param answerBytes of history, in answers that are being made or not taken yet
 */
public record LoadLimitConfig(
        int requestRate, int commandRate, int subjects, int patterns, int patternsPerSession, long answerBytes) {
    /** A name of 255 bytes and its columns take half of this. */
    static final int BYTES_PER_SUBJECT = 1 << 10;

    /** A pattern of eight segments in the index of its own lane and of four others. */
    static final int BYTES_PER_PATTERN = 8 << 10;

    public LoadLimitConfig {
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.RequestRate", requestRate);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.CommandRate", commandRate);
        InvalidSetting.unlessWithin(1, Integer.MAX_VALUE, "Limit.Subjects", subjects);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.Patterns", patterns);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.PatternsPerSession", patternsPerSession);
        InvalidSetting.unlessWithin(LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE, "Limit.AnswerBytes", answerBytes);
    }
}
