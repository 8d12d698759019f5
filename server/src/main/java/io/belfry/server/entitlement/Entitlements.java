package io.belfry.server.entitlement;

import io.belfry.server.config.EntitlementConfig;
import java.io.IOException;
import java.util.function.LongSupplier;

/** Starts what the configuration says is to decide. Pure. */
public final class Entitlements {
    private Entitlements() {}

    /**
     * Starts it, or fails saying what keeps it from starting.
     *
     * @param nowMillis what time it is, in milliseconds since 1970
     * @param onKeyFailure told, on any thread, when keys could not be read again
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
