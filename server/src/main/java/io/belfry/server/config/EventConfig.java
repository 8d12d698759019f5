package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import io.belfry.settings.Settings;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Settings of the events to the application. Immutable; its text never contains secrets.
 *
 * @param subject types of events that are published on the subject {@code /$events}; an empty set for all
 * @param waiting maximum number of events that wait for each receiver
 * @param waitingBytes maximum estimated memory of the events that wait for each receiver
 * @param batch maximum number of events of one request
 * @param retryMillis maximum pause before a request is repeated
 * @param vacancy when a subject without subscribers is reported
 */
public record EventConfig(
        List<Endpoint> endpoints,
        Optional<Set<String>> subject,
        Optional<Topic> topic,
        SignatureConfig signature,
        Optional<Path> authorities,
        int waiting,
        long waitingBytes,
        int batch,
        long answerMillis,
        long retryMillis,
        Vacancy vacancy) {
    /** The types of events. */
    public static final List<String> TYPES = List.of(
            "node.started",
            "session.opened",
            "session.user",
            "session.closed",
            "session.slow",
            "presence.joined",
            "presence.left",
            "subject.occupied",
            "subject.vacated",
            "message");

    /** Bytes of the longest event as a message: names of a node, a session, a subject and a user, each with escapes. */
    static final int MESSAGE_BYTES = 8 << 10;

    static final int MAX_WAITING = 10_000_000;
    static final int MAX_BATCH = 10_000;
    static final int MAX_VACANT = 10_000_000;
    static final int MIN_WAITING_BYTES = 64 << 10;
    private static final int ENDPOINTS_MAX = 16;

    /**
     * An address that gets events.
     *
     * @param types the types of events that it gets; empty for all
     */
    public record Endpoint(String name, URI url, Set<String> types) {
        public Endpoint {
            types = Set.copyOf(types);
        }
    }

    /**
     * A topic of the cluster's Kafka that gets events.
     *
     * @param types the types of events that it gets; empty for all
     */
    public record Topic(String name, Set<String> types) {
        public Topic {
            types = Set.copyOf(types);
            KafkaTopicConfig.requireTopic("Events.Topic", name);
        }
    }

    /**
     * When a subject without subscribers is reported as vacated.
     *
     * @param millis time without subscribers before the report
     * @param subjects maximum number of subjects that wait for this time
     */
    public record Vacancy(long millis, int subjects) {}

    public EventConfig {
        endpoints = List.copyOf(endpoints);
        subject = subject.map(Set::copyOf);
        if (endpoints.size() > ENDPOINTS_MAX) {
            throw new InvalidSetting("Events.Endpoint", "has more than " + ENDPOINTS_MAX + " endpoints");
        }
        if (!endpoints.isEmpty() && signature.isEmpty()) {
            throw new InvalidSetting(
                    "Events.Endpoint", "needs Events.Secret or Events.SecretFile, which signs the requests");
        }
    }

    /** Returns the settings, or empty if nothing gets events. */
    static Optional<EventConfig> of(Settings settings) {
        List<Endpoint> endpoints = endpoints(settings.under(ConfigKey.EVENTS_ENDPOINT));
        Optional<Set<String>> subject = settings.text(ConfigKey.EVENTS_SUBJECT).map(EventConfig::subjectTypes);
        Optional<Topic> topic = settings.text(ConfigKey.EVENTS_TOPIC).map(EventConfig::topic);
        return endpoints.isEmpty() && subject.isEmpty() && topic.isEmpty()
                ? Optional.empty()
                : Optional.of(new EventConfig(
                        endpoints,
                        subject,
                        topic,
                        new SignatureConfig(
                                ConfigKey.EVENTS_SECRET.keyName(),
                                settings.text(ConfigKey.EVENTS_SECRET),
                                settings.path(ConfigKey.EVENTS_SECRET_FILE)),
                        settings.path(ConfigKey.EVENTS_AUTHORITIES),
                        settings.whole(ConfigKey.EVENTS_WAITING),
                        settings.sizeBytes(ConfigKey.EVENTS_WAITING_BYTES),
                        settings.whole(ConfigKey.EVENTS_BATCH),
                        settings.timeMillis(ConfigKey.EVENTS_ANSWER_TIME),
                        settings.timeMillis(ConfigKey.EVENTS_RETRY_TIME),
                        new Vacancy(
                                settings.timeMillis(ConfigKey.EVENTS_VACANT_TIME),
                                settings.whole(ConfigKey.EVENTS_VACANT_SUBJECTS))));
    }

    /** Parses the endpoints: each a URL, and the types of events after it. */
    static List<Endpoint> endpoints(Map<String, String> texts) {
        return texts.entrySet().stream()
                .map(each -> endpoint(each.getKey(), each.getValue()))
                .toList();
    }

    private static Endpoint endpoint(String name, String text) {
        String key = "Events.Endpoint." + name;
        InvalidSetting.unless(name.matches("[A-Za-z0-9_-]{1,32}"), key, name, "must be letters, digits, - and _");
        List<String> words = words(text);
        return new Endpoint(
                name, CallbackUrls.parse(key, words.getFirst()), types(key, words.subList(1, words.size())));
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("\\s+"));
    }

    private static Set<String> types(String key, List<String> words) {
        words.forEach(type -> InvalidSetting.unless(
                TYPES.contains(type), key, type, "is not a type of event; the types are " + String.join(", ", TYPES)));
        return new LinkedHashSet<>(words);
    }

    private static Topic topic(String text) {
        List<String> words = words(text);
        return new Topic(words.getFirst(), types(ConfigKey.EVENTS_TOPIC.keyName(), words.subList(1, words.size())));
    }

    /** Requires a cluster whose own topics have other names. */
    void requireFits(Optional<KafkaConfig> kafka) {
        topic.ifPresent(own -> {
            InvalidSetting.unless(
                    kafka.isPresent(),
                    "Events.Topic",
                    own.name(),
                    "needs ClusterEngine = kafka, whose brokers it uses");
            InvalidSetting.unless(
                    !kafka.orElseThrow().topics().uses(own.name()),
                    "Events.Topic",
                    own.name(),
                    "is a topic of the cluster's messages; name another one");
        });
    }

    /** Requires receivers of events if the options of subjects ask for events, and a single node if they ask for messages. */
    static void requireReceivers(SubjectRules subjects, Optional<EventConfig> events, boolean cluster) {
        subjects.rules().stream()
                .filter(rule -> cluster && rule.options().events().ofMessages())
                .findFirst()
                .ifPresent(rule -> {
                    throw new InvalidSetting(
                            rule.key(),
                            "events of messages are not possible under ClusterEngine = kafka, where each node would report each"
                                    + " message; read the messages from Kafka.Topic, and use events=subscribers");
                });
        subjects.rules().stream()
                .filter(rule -> events.isEmpty() && rule.options().events() != SubjectOptions.Events.NONE)
                .findFirst()
                .ifPresent(rule -> {
                    throw new InvalidSetting(
                            rule.key(),
                            "the option events needs a receiver; set Events.Endpoint.*, Events.Subject or Events.Topic");
                });
    }

    private static Set<String> subjectTypes(String text) {
        List<String> words = words(text);
        return words.equals(List.of("all")) ? Set.of() : types(ConfigKey.EVENTS_SUBJECT.keyName(), words);
    }
}
