package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about slow consumers; {@code ConfigKey} lists them. Immutable. */
final class SlowConsumerKeys {
    static final TopicKey SLOW_CONSUMER = new TopicKey(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer",
            ValueType.choice("disconnect", "conflate", "drop"),
            "disconnect",
            "Policy for a session that reads too slowly: `disconnect` closes it with `slow-consumer`; `drop`"
                    + " skips the oldest messages it missed; `conflate` skips all but the latest message of each"
                    + " subject. `drop` and `conflate` announce what they skip with `gap`.",
            Trait.RELOADABLE);

    static final TopicKey SLOW_CONSUMER_SUBJECTS = new TopicKey(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer.Subjects",
            ValueType.list("list of pattern and policy"),
            "Policies that replace `SlowConsumer` for some subjects, such as `/prices/** conflate, /orders/** disconnect`;"
                    + " the first pattern that matches a subject applies. A session that lags too far in several"
                    + " subjects is closed if one of them has `disconnect`.",
            Trait.RELOADABLE);

    static final TopicKey SLOW_CONSUMER_MAX_BYTES = new TopicKey(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer.MaxBytes",
            ValueType.size(SizeUnit.B, 1024, Long.MAX_VALUE),
            "1 MB",
            "Maximum number of bytes by which a session may lag, over all its subjects, before"
                    + " `SlowConsumer.Grace` begins. With `drop` it is also the amount of the latest messages that a"
                    + " lagging session still receives. Not less than `MaxMessageSize`.",
            Trait.RELOADABLE);

    static final TopicKey SLOW_CONSUMER_GRACE = new TopicKey(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer.Grace",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "30 s",
            "Time for which a session may read nothing, or lag by more than `SlowConsumer.MaxBytes` or beyond"
                    + " the history, before `disconnect` closes it. Messages that leave the history meanwhile are"
                    + " announced with `gap`. With `drop` the session receives no older messages.",
            Trait.RELOADABLE);

    private SlowConsumerKeys() {}
}
