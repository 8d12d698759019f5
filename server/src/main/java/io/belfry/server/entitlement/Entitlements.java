package io.belfry.server.entitlement;

import io.belfry.server.config.EntitlementConfig;
import java.io.IOException;
import java.util.function.LongSupplier;

/** Creates the configured entitlement provider. Stateless. */
public final class Entitlements {
    private Entitlements() {}

    /**
     * Creates the provider, or throws with the reason.
     *
     * @param nowMillis returns the time in milliseconds since 1970
     * @param onKeyFailure called, on any thread, when keys could not be read again
     */
    public static Entitlement start(EntitlementConfig config, LongSupplier nowMillis, Runnable onKeyFailure)
            throws IOException {
        return switch (config.kind()) {
            case NONE -> new OpenEntitlement();
            case BASIC -> TokenEntitlement.of(config);
            case JWT -> JwtEntitlement.start(config, nowMillis, onKeyFailure);
            case CUSTOM -> CustomEntitlement.start(config);
        };
    }
}
