package io.belfry.server.transport;

import io.belfry.server.codec.HttpRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where a request may carry its token. Pure. */
final class Tokens {
    private static final String SCHEME = "Bearer ";

    /** Browsers' WebSockets send no header of a page's choosing, but the names of subprotocols. */
    private static final String SUBPROTOCOL = "belfry.bearer.";

    private static final Set<String> QUERY_PATHS = Set.of("/subscribe", "/poll");

    private Tokens() {}

    /** {@code inQuery}: whether addresses may have it, which end up in the logs of proxies. */
    static @Nullable String of(HttpRequest request, boolean inQuery) {
        String token = ofHeader(request);
        if (token == null) {
            token = ofSubprotocols(request);
        }
        if (token == null && inQuery && QUERY_PATHS.contains(request.path())) {
            token = request.query().first("token");
        }
        return token == null || token.isEmpty() ? null : token;
    }

    private static @Nullable String ofHeader(HttpRequest request) {
        String value = request.header("Authorization");
        return value != null && value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? value.substring(SCHEME.length()).strip()
                : null;
    }

    private static @Nullable String ofSubprotocols(HttpRequest request) {
        String offered = request.header("Sec-WebSocket-Protocol");
        if (offered != null) {
            for (String name : offered.split(",", -1)) {
                if (name.strip().startsWith(SUBPROTOCOL)) {
                    return name.strip().substring(SUBPROTOCOL.length());
                }
            }
        }
        return null;
    }
}
