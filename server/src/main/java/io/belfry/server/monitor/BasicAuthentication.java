package io.belfry.server.monitor;

import org.jspecify.annotations.Nullable;

/** Checks the requests of the monitor's pages by HTTP Basic authentication. Immutable. */
record BasicAuthentication(Credentials credentials) {
    static final String CHALLENGE = "Basic realm=\"belfry\", charset=\"UTF-8\"";

    boolean accepts(@Nullable String authorization, String from) {
        // Browsers and scrapers send their first request without this header, so it does not count as a failed attempt.
        if (authorization == null) {
            return false;
        }
        BasicLogin login = BasicLogin.read(authorization);
        return credentials.accept(login.username(), login.password(), from);
    }
}
