package io.belfry.protocol;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a publish besides subject and data. Immutable.
 *
 * @param retain whether the message is to be retained
 * @param msgId the id under which the server recognises a repeat, or null
 * @param headers the headers of the message, by name; empty for none
 * @param ttlMillis time in milliseconds after which the message is not delivered any more; 0 for no end
 * @param origin the key of the publisher's {@link PublishOrigins origin}, or null
 */
public record PublishTerms(
        boolean retain,
        @Nullable String msgId,
        Map<String, String> headers,
        long ttlMillis,
        @Nullable String origin) {
    /** The terms of a publish without options. */
    public static final PublishTerms PLAIN = new PublishTerms(false, null, Map.of());

    /** Terms without an origin. */
    public PublishTerms(boolean retain, @Nullable String msgId, Map<String, String> headers, long ttlMillis) {
        this(retain, msgId, headers, ttlMillis, null);
    }

    /** Terms of a message without an end. */
    public PublishTerms(boolean retain, @Nullable String msgId, Map<String, String> headers) {
        this(retain, msgId, headers, 0);
    }

    /** Returns a time to live in milliseconds, at least one if it is positive, because 0 is no end. */
    public static long millis(Duration ttl) {
        return ttl.compareTo(Duration.ZERO) > 0 ? Math.max(1, ttl.toMillis()) : ttl.toMillis();
    }

    /** Returns the terms of a publish without headers. */
    public static PublishTerms of(boolean retain, @Nullable String msgId) {
        return !retain && msgId == null ? PLAIN : new PublishTerms(retain, msgId, Map.of());
    }
}
