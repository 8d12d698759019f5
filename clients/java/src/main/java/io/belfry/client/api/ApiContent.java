package io.belfry.client.api;

import io.belfry.protocol.CommandRules;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.PublishTerms;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content and the options of a publish. Immutable.
 *
 * @param text the data as text, or null if it is bytes
 * @param bytes the data as bytes, or null if it is text
 * @param retain whether the message becomes the subject's retained message
 * @param msgId a repeat of this id on the subject is not delivered again; null for none
 * @param ttlMillis time in milliseconds after which the server does not deliver the message any more; 0 for no end
 * @param headers headers of the message, in the order of the map
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record ApiContent(
        @Nullable String text,
        byte @Nullable [] bytes,
        boolean retain,
        @Nullable String msgId,
        long ttlMillis,
        Map<String, String> headers) {
    /** Throws {@link IllegalArgumentException} if the time is invalid. */
    public ApiContent {
        if (ttlMillis < 0 || ttlMillis > PublishRequest.TTL_MILLIS_MAX) {
            throw new IllegalArgumentException(CommandRules.TTL_RULE + ": " + ttlMillis);
        }
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /** Returns a content of text. */
    public static ApiContent of(String text) {
        return new ApiContent(text, null, false, null, 0, Map.of());
    }

    /** Returns a content of bytes. */
    public static ApiContent of(byte[] bytes) {
        return new ApiContent(null, bytes.clone(), false, null, 0, Map.of());
    }

    /** Returns the same content, to be retained. */
    public ApiContent retained() {
        return new ApiContent(text, bytes, true, msgId, ttlMillis, headers);
    }

    /** Returns the same content with an id, so that a repeat is delivered once. */
    public ApiContent withMsgId(String id) {
        return new ApiContent(text, bytes, retain, id, ttlMillis, headers);
    }

    /** Returns the same content with a time after which the server does not deliver the message any more. */
    public ApiContent withTtl(Duration ttl) {
        return new ApiContent(text, bytes, retain, msgId, PublishTerms.millis(ttl), headers);
    }

    /** Returns the same content with other headers, which the server checks. */
    public ApiContent withHeaders(Map<String, String> others) {
        return new ApiContent(text, bytes, retain, msgId, ttlMillis, others);
    }
}
