package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Limits of requests, and of the state stored for all clients. In {@code requestRate}, {@code commandRate} and
 * {@code patternsPerSession}, 0 means no limit. Immutable.
 *
 * @param requestRate maximum number of HTTP requests per second and connection
 * @param commandRate maximum number of commands per second and session, not counting publishes
 * @param subjects maximum number of entries in the lanes' subject tables
 * @param patterns maximum number of subscriptions to patterns
 * @param patternsPerSession maximum number of subscriptions to patterns per session
 * @param answerBytes maximum bytes of history in answers that are being created or not yet sent
 */
public record LoadLimitConfig(
        int requestRate, int commandRate, int subjects, int patterns, int patternsPerSession, long answerBytes) {
    /** Memory per subject; a name of 255 bytes and its table columns take half of this. */
    static final int BYTES_PER_SUBJECT = 1 << 10;

    /** Memory per pattern; it has eight segments and is in the index of its own lane and of four other lanes. */
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
