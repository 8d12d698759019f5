package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about events to the application; {@code ConfigKey} lists them. Immutable. */
final class EventKeys {
    static final TopicKey EVENTS_ENDPOINT = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.Endpoint.*",
            ValueType.text(),
            "Address that gets events, under a name of your choice, at most 16 of them. The value is a URL (`https`, or"
                    + " `http` on this machine), and the types of events after it, with spaces between. Without types the address"
                    + " gets all. Needs `Events.Secret` or `Events.SecretFile`.");

    static final TopicKey EVENTS_SUBJECT = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.Subject",
            ValueType.text(),
            "Types of the events that are published on the subject `/$events`, with spaces between them, or `all`. Clients need the"
                    + " `system` permission to subscribe to it. Without this key there is no such subject.");

    static final TopicKey EVENTS_TOPIC = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.Topic",
            ValueType.text(),
            "Kafka topic that gets events, with `ClusterEngine = kafka`: its name, and the types of events after it, with spaces"
                    + " between. Without types it gets all. Created at the first start if it does not exist.");

    static final TopicKey EVENTS_SECRET = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.Secret",
            ValueType.text(),
            "Secret that signs events, in the form of Standard Webhooks: `whsec_` and the base64 form of 24 to 64 bytes."
                    + " Several secrets with spaces between them give several signatures during a change.",
            Trait.SECRET);

    static final TopicKey EVENTS_SECRET_FILE = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.SecretFile",
            ValueType.path(),
            "File whose first line has the secrets, used instead of `Events.Secret`.");

    static final TopicKey EVENTS_AUTHORITIES = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.Authorities",
            ValueType.path(),
            "PEM file with the authorities that the certificates of endpoints are checked by. Without it the JDK's"
                    + " authorities count.");

    static final TopicKey EVENTS_WAITING = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.Waiting",
            ValueType.number(1, EventConfig.MAX_WAITING),
            "10000",
            "Maximum number of events that wait in memory for each endpoint, for the subject and for the topic. Further events are"
                    + " dropped, and the receiver gets an event `missed` in their place.");

    static final TopicKey EVENTS_WAITING_BYTES = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.WaitingBytes",
            ValueType.size(SizeUnit.B, EventConfig.MIN_WAITING_BYTES, Long.MAX_VALUE),
            "16 MB",
            "Maximum memory of the events that wait for each of these, an estimated 200 bytes and the content of a message for each"
                    + " event. Further events are dropped as beyond `Events.Waiting`.");

    static final TopicKey EVENTS_BATCH = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.Batch",
            ValueType.number(1, EventConfig.MAX_BATCH),
            "100",
            "Maximum number of events of one request, or published at the same time. A batch also ends after 1 MB.");

    static final TopicKey EVENTS_ANSWER_TIME = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.AnswerTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "10 s",
            "Time within which an endpoint answers, or a publish to the subject is accepted; after it the events are"
                    + " sent again.");

    static final TopicKey EVENTS_RETRY_TIME = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.RetryTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "60 s",
            "Maximum pause before events are sent again. The first pause is at most 0.5 s, and each further one up to"
                    + " twice as long.");

    static final TopicKey EVENTS_VACANT_TIME = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.VacantTime",
            ValueType.time(TimeScale.S, 0, LimitConfig.MAX_MILLIS),
            "5 s",
            "Time without subscribers after which a subject with `events=subscribers` is reported as `subject.vacated`. A"
                    + " subscriber that returns within this time causes no event.");

    static final TopicKey EVENTS_VACANT_SUBJECTS = new TopicKey(
            ConfigTopic.EVENTS,
            "Events.VacantSubjects",
            ValueType.number(1, EventConfig.MAX_VACANT),
            "100000",
            "Maximum number of subjects that wait for `Events.VacantTime`, divided among the event loops. Beyond it the subject"
                    + " that has waited longest is reported at once.");

    private EventKeys() {}
}
