package io.belfry.server.config;

import io.belfry.settings.Settings;
import java.util.Optional;

/** Hides secrets in the text of the configuration records. Pure. */
final class Secrets {
    private Secrets() {}

    static String shown(Optional<String> secret) {
        return secret.isPresent() ? Settings.HIDDEN : "none";
    }
}
