package io.belfry.client;

import io.belfry.protocol.MessageHeaders;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options of a request. Immutable.
 *
 * @param timeout time limit for the reply, and the time to live of the request
 * @param headers texts beside the data, by name; at most 14, because a request has two of its own
 */
public record RequestOptions(Duration timeout, Map<String, String> headers) {
    /** A time limit of 10 seconds. */
    public static final RequestOptions DEFAULT = new RequestOptions(Duration.ofSeconds(10), Map.of());

    /** Throws {@link IllegalArgumentException} if the time or a header is invalid. */
    public RequestOptions {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("timeout must be 1 ms or more, not " + timeout);
        }
        String problem = MessageHeaders.problem(headers);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        headers = headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /** Options with a time limit. */
    public static RequestOptions timeout(Duration timeout) {
        return new RequestOptions(timeout, Map.of());
    }

    /** Returns these options with other headers. */
    public RequestOptions withHeaders(Map<String, String> others) {
        return new RequestOptions(timeout, others);
    }
}
