package io.belfry.server.entitlement;

import io.belfry.server.config.EntitlementConfig;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Creates the configured entitlement provider. Stateless. */
public final class Entitlements {
    private Entitlements() {}

    /**
     * Creates the provider, or throws with the reason.
     *
     * @param nowMillis returns the time in milliseconds since 1970
     * @param events counts what happens
     */
    public static Entitlement start(EntitlementConfig config, LongSupplier nowMillis, EntitlementEvents events)
            throws IOException {
        return start(config, nowMillis, events, null);
    }

    /** Creates the provider as the other method; {@code revocations} has the tokens that the application revokes, if it can. */
    public static Entitlement start(
            EntitlementConfig config,
            LongSupplier nowMillis,
            EntitlementEvents events,
            @Nullable Revocations revocations)
            throws IOException {
        return switch (config.kind()) {
            case NONE -> new OpenEntitlement();
            case BASIC -> TokenEntitlement.of(config);
            case JWT -> JwtEntitlement.start(config, nowMillis, events::onKeyFailure, revocations);
            case HTTP -> HttpEntitlement.start(config, nowMillis, events);
            case CUSTOM -> CustomEntitlement.start(config);
        };
    }
}
