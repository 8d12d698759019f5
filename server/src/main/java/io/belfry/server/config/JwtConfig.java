package io.belfry.server.config;

import java.util.Optional;

/** Settings of {@code Entitlement = JWT}. Immutable; its text never contains secrets. */
public record JwtConfig(
        JwtKeyConfig keys,
        Optional<String> issuer,
        Optional<String> audience,
        long leewayMillis,
        boolean requireExpiry) {
    static final long MAX_LEEWAY_MILLIS = 600_000;
}
