package io.belfry.server.config;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The effective options of a subject. Immutable.
 *
 * @param historySize number of messages that can be read again
 * @param historyMillis maximum age of a message that can be read again; {@link HistoryConfig#NO_EXPIRY} for no limit
 * @param historyBytes maximum bytes of the messages that can be read again; {@code Long.MAX_VALUE} for no limit
 * @param retained whether messages are retained
 * @param retainedMillis maximum age of a retained message; {@link HistoryConfig#NO_EXPIRY} for no limit
 * @param publisher whether messages have the name of their publisher
 * @param publish who may publish where the entitlement gives no permission
 * @param slow policy for sessions that read too slowly; null for that of {@code SlowConsumer} and {@code SlowConsumer.Subjects}
 * @param compression whether messages are compressed, if {@code Compression} is on
 * @param presence whether the members of the subject are listed
 * @param decisions the commands for which the application is asked
 * @param events the events about which the application is notified
 */
public record SubjectOptions(
        int historySize,
        long historyMillis,
        long historyBytes,
        Retention retained,
        long retainedMillis,
        boolean publisher,
        Publishers publish,
        SlowConsumerConfig.@Nullable Policy slow,
        boolean compression,
        boolean presence,
        Decisions decisions,
        Events events) {
    /** Effect of the option {@code retained} on publishes. */
    public enum Retention {
        ALLOWED,
        REFUSED,

        /** Every message is retained. */
        REQUIRED
    }

    /** Clients that may publish although the entitlement gives them no permission. */
    public enum Publishers {
        /** None. */
        PERMITTED,

        /** Those with a user. */
        USERS,
        ANYONE
    }

    /** Commands for which the application is asked. */
    public enum Decisions {
        NONE,
        SUBSCRIBE,
        PUBLISH,
        BOTH;

        /** Returns whether the application decides on subscriptions. */
        public boolean ofSubscribe() {
            return this == SUBSCRIBE || this == BOTH;
        }

        /** Returns whether the application decides on publishes. */
        public boolean ofPublish() {
            return this == PUBLISH || this == BOTH;
        }
    }

    /** Events of a subject about which the application is notified. */
    public enum Events {
        NONE,
        SUBSCRIBERS,
        MESSAGES,
        BOTH;

        /** Returns whether the first and the last subscriber are reported. */
        public boolean ofSubscribers() {
            return this == SUBSCRIBERS || this == BOTH;
        }

        /** Returns whether messages are reported. */
        public boolean ofMessages() {
            return this == MESSAGES || this == BOTH;
        }
    }

    private static final String GENERAL = "general";

    /** Returns the values that apply where no line sets an option. */
    static Map<SubjectOption, Object> general(HistoryConfig history) {
        return Map.ofEntries(
                Map.entry(SubjectOption.HISTORY, (long) history.cacheSize()),
                Map.entry(SubjectOption.HISTORY_AGE, history.cacheExpireMillis()),
                Map.entry(SubjectOption.HISTORY_BYTES, Long.MAX_VALUE),
                Map.entry(SubjectOption.RETAINED, "allowed"),
                Map.entry(SubjectOption.RETAINED_AGE, HistoryConfig.NO_EXPIRY),
                Map.entry(SubjectOption.PUBLISHER, false),
                Map.entry(SubjectOption.PUBLISH, "permitted"),
                Map.entry(SubjectOption.SLOW, GENERAL),
                Map.entry(SubjectOption.COMPRESSION, true),
                Map.entry(SubjectOption.PRESENCE, false),
                Map.entry(SubjectOption.DECISIONS, "none"),
                Map.entry(SubjectOption.EVENTS, "none"));
    }

    /** Returns the options of a line: the values that it sets, and the general ones. */
    static SubjectOptions of(Map<SubjectOption, Object> general, Map<SubjectOption, Object> set) {
        Map<SubjectOption, Object> all = new EnumMap<>(general);
        all.putAll(set);
        return new SubjectOptions(
                Math.toIntExact(number(all, SubjectOption.HISTORY)),
                number(all, SubjectOption.HISTORY_AGE),
                number(all, SubjectOption.HISTORY_BYTES),
                choice(all, SubjectOption.RETAINED, Retention.class),
                number(all, SubjectOption.RETAINED_AGE),
                flag(all, SubjectOption.PUBLISHER),
                choice(all, SubjectOption.PUBLISH, Publishers.class),
                value(all, SubjectOption.SLOW).equals(GENERAL)
                        ? null
                        : choice(all, SubjectOption.SLOW, SlowConsumerConfig.Policy.class),
                flag(all, SubjectOption.COMPRESSION),
                flag(all, SubjectOption.PRESENCE),
                choice(all, SubjectOption.DECISIONS, Decisions.class),
                choice(all, SubjectOption.EVENTS, Events.class));
    }

    private static long number(Map<SubjectOption, Object> values, SubjectOption option) {
        return (long) value(values, option);
    }

    private static boolean flag(Map<SubjectOption, Object> values, SubjectOption option) {
        return (boolean) value(values, option);
    }

    private static <E extends Enum<E>> E choice(
            Map<SubjectOption, Object> values, SubjectOption option, Class<E> type) {
        return Enum.valueOf(type, value(values, option).toString().toUpperCase(Locale.ROOT));
    }

    private static Object value(Map<SubjectOption, Object> values, SubjectOption option) {
        return Objects.requireNonNull(values.get(option));
    }
}
