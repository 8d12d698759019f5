package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.List;

/**
 * Bounds that make a session slow, and the policy for slow sessions. Immutable.
 *
 * @param policy policy for subjects that match none of the rules
 * @param rules policies for some subjects; the first matching rule applies
 */
public record SlowConsumerConfig(Policy policy, List<SlowConsumerRule> rules, long maxBytes, long graceMillis) {
    /** Action on a session that cannot keep up; the server reports each action to the session. */
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

    /** Returns the policy for a session that lags behind in this subject. */
    public Policy policyOf(byte[] subject) {
        for (SlowConsumerRule rule : rules) {
            if (rule.matches(subject)) {
                return rule.policy();
            }
        }
        return policy;
    }
}
