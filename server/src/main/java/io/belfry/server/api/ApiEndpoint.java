package io.belfry.server.api;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * One call of the API. Immutable.
 *
 * @param path path, in which a segment in braces is a value
 * @param right right of the key that the call needs
 * @param parameters names of the parameters in the query
 */
record ApiEndpoint(String method, String path, ApiRight right, Set<String> parameters, Handler handler) {
    /** Executes a call. */
    interface Handler {
        ApiReply serve(ApiRequest request) throws IOException;
    }

    static ApiEndpoint read(String path, Handler handler, String... parameters) {
        return new ApiEndpoint("GET", path, ApiRight.READ, new TreeSet<>(List.of(parameters)), handler);
    }

    static ApiEndpoint delete(String path, Handler handler, String... parameters) {
        return new ApiEndpoint("DELETE", path, ApiRight.ACT, new TreeSet<>(List.of(parameters)), handler);
    }

    static ApiEndpoint post(String path, ApiRight right, Handler handler) {
        return new ApiEndpoint("POST", path, right, Set.of(), handler);
    }

    /** Returns the values of the path's segments in braces, if the raw path of a request fits. */
    Optional<Map<String, String>> matches(String rawPath) {
        String[] own = path.split("/", -1);
        String[] asked = rawPath.split("/", -1);
        if (own.length != asked.length) {
            return Optional.empty();
        }
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < own.length; i++) {
            if (own[i].startsWith("{")) {
                values.put(own[i].substring(1, own[i].length() - 1), ApiRequest.decoded(asked[i]));
            } else if (!own[i].equals(asked[i])) {
                return Optional.empty();
            }
        }
        return Optional.of(values);
    }
}
