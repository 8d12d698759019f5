package io.belfry.client;

import io.belfry.protocol.CommandRules;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.PublishTerms;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options of a publish. Immutable.
 *
 * @param retain whether the server keeps the message as the subject's retained message
 * @param msgId id by which the server detects a repeated publish, 1 to 64 bytes; null for an id chosen by the client
 * @param repeat whether to send the message again after a disconnect. If false, the client chooses no msgId, and the
 *     future fails with {@link PublishException.Kind#UNKNOWN} after a disconnect
 * @param headers texts beside the data, by name; at most 16, names of 1 to 64 bytes that do not begin with '$'
 * @param ttlMillis time in milliseconds after which the server does not deliver the message any more; 0 for no end
 * @param echo whether the client's own subscriptions receive the message; if false, they omit it live and after a disconnect
 */
public record PublishOptions(
        boolean retain,
        @Nullable String msgId,
        boolean repeat,
        Map<String, String> headers,
        long ttlMillis,
        boolean echo) {
    /** Not retained; repeated after a disconnect. */
    public static final PublishOptions DEFAULT = new PublishOptions(false, null, true);
    /** Retained; repeated after a disconnect. */
    public static final PublishOptions RETAIN = new PublishOptions(true, null, true);

    /** Not retained; sent at most once. */
    public static final PublishOptions ONCE = new PublishOptions(false, null, false);

    /** Throws {@link IllegalArgumentException} if a header or the time is invalid. */
    public PublishOptions {
        String problem = MessageHeaders.problem(headers);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        if (ttlMillis < 0 || ttlMillis > PublishRequest.TTL_MILLIS_MAX) {
            throw new IllegalArgumentException(CommandRules.TTL_RULE + ": " + ttlMillis);
        }
        headers = headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /** Options of a message that the client's own subscriptions receive too. */
    public PublishOptions(
            boolean retain, @Nullable String msgId, boolean repeat, Map<String, String> headers, long ttlMillis) {
        this(retain, msgId, repeat, headers, ttlMillis, true);
    }

    /** Options of a message without an end. */
    public PublishOptions(boolean retain, @Nullable String msgId, boolean repeat, Map<String, String> headers) {
        this(retain, msgId, repeat, headers, 0);
    }

    /** Options without headers. */
    public PublishOptions(boolean retain, @Nullable String msgId, boolean repeat) {
        this(retain, msgId, repeat, Map.of());
    }

    /** Options with a msgId of the caller. */
    public static PublishOptions msgId(String msgId) {
        return new PublishOptions(false, msgId, true);
    }

    /** Options with headers, in the order of the map. */
    public static PublishOptions headers(Map<String, String> headers) {
        return DEFAULT.withHeaders(headers);
    }

    /** Returns these options with other headers. */
    public PublishOptions withHeaders(Map<String, String> others) {
        return new PublishOptions(retain, msgId, repeat, others, ttlMillis, echo);
    }

    /** Returns these options with a time after which the server does not deliver the message any more. */
    public PublishOptions withTtl(Duration ttl) {
        return new PublishOptions(retain, msgId, repeat, headers, PublishTerms.millis(ttl), echo);
    }

    /**
     * Returns these options with or without an echo. Without one, the client's own subscriptions omit the message; a retained
     * message and requested history are delivered to them.
     */
    public PublishOptions withEcho(boolean wanted) {
        return new PublishOptions(retain, msgId, repeat, headers, ttlMillis, wanted);
    }

    PublishTerms terms(@Nullable String id, OwnOrigin origin) {
        return new PublishTerms(retain, id, headers, ttlMillis, echo ? null : origin.key());
    }
}
