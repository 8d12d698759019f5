package io.belfry.server.transport;

import io.belfry.server.codec.HttpRequest;
import org.jspecify.annotations.Nullable;

/** The token of an Authorization header. Pure. */
final class Bearer {
    private static final String SCHEME = "Bearer ";

    private Bearer() {}

    static @Nullable String tokenOf(HttpRequest request) {
        String value = request.header("Authorization");
        return value != null && value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? value.substring(SCHEME.length()).strip()
                : null;
    }
}
