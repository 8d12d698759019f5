package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/** When a session counts as too slow, and what happens to it then. Immutable. */
public record SlowConsumerConfig(Policy policy, long maxBytes, long graceMillis) {
    /** What a session gets that cannot keep up; each is announced to it. */
    public enum Policy {
        DISCONNECT,
        CONFLATE,
        DROP
    }

    public SlowConsumerConfig {
        InvalidSetting.unless(maxBytes >= 1024, "SlowConsumer.MaxBytes", maxBytes, "must be 1 KB or more");
        InvalidSetting.unless(graceMillis >= 0, "SlowConsumer.Grace", graceMillis + " ms", "must be 0 or more");
    }
}
