package io.belfry.server.config;

import io.belfry.settings.BadValue;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The options that a line {@code Subjects.N} can set for the subjects of its pattern, in the order of the documents. Immutable.
 * The {@code general} text names where the value comes from while no line sets the option.
 */
// Every ValueType is a record of immutable parts, but the checker requires its own annotation on the interface.
@SuppressWarnings("ImmutableEnumChecker")
public enum SubjectOption {
    HISTORY(
            "history",
            ValueType.number(0, HistoryConfig.MAX_CACHE_SIZE),
            "CacheSize",
            Object::toString,
            "Number of messages that clients can read again; 0 for none."),
    HISTORY_AGE(
            "history-age",
            ValueType.time(TimeScale.S, 0, HistoryConfig.NO_EXPIRY),
            "CacheExpireTime",
            SubjectOption::age,
            "Maximum age of a message that clients can read again; 0 is no limit."),
    HISTORY_BYTES(
            "history-bytes",
            ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE),
            "default",
            SubjectOption::bytes,
            "Maximum number of bytes of the messages that clients can read again, headers included; 0 is no limit."),

    RETAINED(
            "retained",
            ValueType.choice("allowed", "refused", "required"),
            "default",
            Object::toString,
            "Whether a publish may retain its message, is refused with `retain-denied` then, or retains each message."),
    RETAINED_AGE(
            "retained-age",
            ValueType.time(TimeScale.S, 0, HistoryConfig.NO_EXPIRY),
            "default",
            SubjectOption::age,
            "Maximum age of a retained message; 0 is no limit."),
    PUBLISHER(
            "publisher",
            ValueType.flag(),
            "default",
            SubjectOption::yesOrNo,
            "Whether each message has the name of the user that published it, as the header `$publisher`."),
    PUBLISH(
            "publish",
            ValueType.choice("permitted", "users", "anyone"),
            "default",
            Object::toString,
            "Who may publish although `Entitlement` gives no permission: nobody, clients with a user, or every client."),
    SLOW(
            "slow",
            ValueType.choice("disconnect", "conflate", "drop"),
            "SlowConsumer",
            Object::toString,
            "Policy for sessions that read too slowly."),
    COMPRESSION(
            "compression",
            ValueType.flag(),
            "default",
            SubjectOption::yesOrNo,
            "Whether messages are compressed, if `Compression` is on; `no` for data that is compressed already."),

    PRESENCE(
            "presence",
            ValueType.flag(),
            "default",
            SubjectOption::yesOrNo,
            "Whether the users that subscribe are published on the presence subject, such as `/$presence/rooms/7`."),

    DECISIONS(
            "decisions",
            ValueType.choice("none", "subscribe", "publish", "both"),
            "default",
            Object::toString,
            "Commands about which the application is asked; needs `Entitlement = Http`."),

    EVENTS(
            "events",
            ValueType.choice("none", "subscribers", "messages", "both"),
            "default",
            Object::toString,
            "Events about which the application is notified: a first and a last subscriber, messages, or both; needs a receiver,"
                    + " `Events.*`.");

    private final String text;
    private final ValueType<?> type;
    private final String general;
    private final Function<Object, String> writer;
    private final String sentence;

    SubjectOption(String text, ValueType<?> type, String general, Function<Object, String> writer, String sentence) {
        this.text = text;
        this.type = type;
        this.general = general;
        this.writer = writer;
        this.sentence = sentence;
    }

    /** Returns the name of the option in a line. */
    public String text() {
        return text;
    }

    /** Returns where the value comes from while no line sets the option: a key, or {@code default}. */
    public String general() {
        return general;
    }

    /** Returns the sentence that describes the option. */
    public String sentence() {
        return sentence;
    }

    /** Returns how a value is written, for the documents. */
    public String form() {
        return type.form();
    }

    /** Returns whether this version has the feature, so that a line may set the option. */
    public boolean exists() {
        return true;
    }

    /** Parses a value; throws with the rule that the text breaks. */
    Object parse(String value) throws BadValue {
        return type.parse(value);
    }

    /** Returns the text of a value, as a line could have it where that is possible. */
    String write(Object value) {
        return writer.apply(value);
    }

    static Optional<SubjectOption> named(String text) {
        return Arrays.stream(values())
                .filter(option -> option.exists() && option.text.equalsIgnoreCase(text))
                .findFirst();
    }

    static List<String> names() {
        return Arrays.stream(values())
                .filter(SubjectOption::exists)
                .map(SubjectOption::text)
                .toList();
    }

    private static String age(Object millis) {
        return (long) millis >= HistoryConfig.NO_EXPIRY ? "0" : TimeScale.write((long) millis);
    }

    private static String bytes(Object bytes) {
        return (long) bytes == Long.MAX_VALUE ? "0" : SizeUnit.write((long) bytes);
    }

    private static String yesOrNo(Object flag) {
        return (boolean) flag ? "yes" : "no";
    }
}
