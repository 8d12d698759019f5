package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys for options of subjects; {@code ConfigKey} lists them. Immutable. */
final class SubjectKeys {
    static final TopicKey SUBJECTS = new TopicKey(
            ConfigTopic.SUBJECTS,
            "Subjects.*",
            ValueType.text("pattern and options"),
            "Options of the subjects that match a pattern, such as `Subjects.10 = /rooms/** history=100 history-age=10m`."
                    + " The numbers, from 1 to 9999, define the order; the first line whose pattern matches applies, and"
                    + " options that it does not set have their general value. At most 64 lines;"
                    + " [the guide](how-to/set-options-of-subjects.md) lists the options.",
            Trait.RELOADABLE);

    static final TopicKey PRESENCE_MAX_MEMBERS = new TopicKey(
            ConfigTopic.SUBJECTS,
            "Presence.MaxMembers",
            ValueType.number(0, PresenceConfig.MAX_MEMBERS),
            "1000",
            "Maximum number of members of a subject with `presence=yes` whose list followers get; of more members they"
                    + " get the number only. The list is also limited by `MaxMessageSize`, because it is one message.",
            Trait.RELOADABLE);

    static final TopicKey PRESENCE_LEAVE_TIME = new TopicKey(
            ConfigTopic.SUBJECTS,
            "Presence.LeaveTime",
            ValueType.time(TimeScale.S, 0, PresenceConfig.MAX_LEAVE_MILLIS),
            "5 s",
            "Time for which a session is counted as present after its subscription or its connection has ended. Followers"
                    + " see nothing if a session of the same user takes its place meanwhile.",
            Trait.RELOADABLE);

    private SubjectKeys() {}
}
