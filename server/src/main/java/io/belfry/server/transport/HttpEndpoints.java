package io.belfry.server.transport;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The endpoints by their paths. Immutable. */
final class HttpEndpoints {
    private final Map<String, HttpEndpoint> byPath = new HashMap<>();
    private final HttpEndpoint others;

    /** Creates the table; {@code others} serves every other path. */
    HttpEndpoints(List<HttpEndpoint> endpoints, HttpEndpoint others) {
        endpoints.forEach(endpoint -> byPath.put(endpoint.path(), endpoint));
        this.others = others;
    }

    /** Returns what serves a decoded path. */
    HttpEndpoint of(String path) {
        return byPath.getOrDefault(path, others);
    }

    Collection<HttpEndpoint> all() {
        return byPath.values();
    }
}
