package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.List;

/**
 * When a session counts as too slow, and what happens to it then. Immutable.
 *
 * @param policy for subjects that none of the rules is about
 * @param rules for some subjects; the first that matches counts
 */
public record SlowConsumerConfig(Policy policy, List<SlowConsumerRule> rules, long maxBytes, long graceMillis) {
    /** What a session gets that cannot keep up; each is announced to it. */
    public enum Policy {
        DISCONNECT,
        CONFLATE,
        DROP
    }

    public SlowConsumerConfig {
        rules = List.copyOf(rules);
        InvalidSetting.unless(maxBytes >= 1024, "SlowConsumer.MaxBytes", maxBytes, "must be 1 KB or more");
        InvalidSetting.unless(graceMillis >= 0, "SlowConsumer.Grace", graceMillis + " ms", "must be 0 or more");
    }

    /** What happens to a session that lags behind in this subject. */
    public Policy policyOf(byte[] subject) {
        for (SlowConsumerRule rule : rules) {
            if (rule.matches(subject)) {
                return rule.policy();
            }
        }
        return policy;
    }
}
