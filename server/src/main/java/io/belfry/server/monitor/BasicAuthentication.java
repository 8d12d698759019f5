package io.belfry.server.monitor;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** HTTP Basic authentication, RFC 7617. Immutable. */
record BasicAuthentication(Credentials credentials) {
    static final String CHALLENGE = "Basic realm=\"belfry\", charset=\"UTF-8\"";
    private static final String SCHEME = "basic ";

    boolean accepts(@Nullable String authorization, String from) {
        // Browsers and scrapers send their first request without this header, so it does not count as a failed attempt.
        if (authorization == null) {
            return false;
        }
        String userAndPassword = decoded(authorization);
        int colon = userAndPassword.indexOf(':');
        return credentials.accept(
                colon < 0 ? "" : userAndPassword.substring(0, colon), userAndPassword.substring(colon + 1), from);
    }

    private static String decoded(String authorization) {
        if (!authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
            return "";
        }
        try {
            byte[] pair = Base64.getDecoder()
                    .decode(authorization.substring(SCHEME.length()).strip());
            return new String(pair, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
