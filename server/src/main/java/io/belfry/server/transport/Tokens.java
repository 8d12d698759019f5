package io.belfry.server.transport;

import io.belfry.server.codec.HttpRequest;
import org.jspecify.annotations.Nullable;

/** Extracts the token of a request from its possible places. Pure. */
final class Tokens {
    private static final String SCHEME = "Bearer ";

    /** Prefix of a subprotocol that contains a token, because browser pages can set no header fields of a WebSocket. */
    private static final String SUBPROTOCOL = "belfry.bearer.";

    private Tokens() {}

    /** Returns the token or null; {@code inQuery} permits it in the query, although proxies may log URLs. */
    static @Nullable String of(HttpRequest request, boolean inQuery) {
        String token = ofHeader(request);
        if (token == null) {
            token = ofSubprotocols(request);
        }
        if (token == null && inQuery) {
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
