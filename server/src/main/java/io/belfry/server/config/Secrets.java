package io.belfry.server.config;

import io.belfry.settings.Settings;
import java.util.Optional;

/** How the records show what must not be shown. Pure. */
final class Secrets {
    private Secrets() {}

    static String shown(Optional<String> secret) {
        return secret.isPresent() ? Settings.HIDDEN : "none";
    }
}
