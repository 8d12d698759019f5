package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Settings of the console's pages. Immutable; its text never contains secrets.
 *
 * @param open whether the HTTP monitor serves the pages
 * @param actPassword password that also allows changes, such as disconnecting a session
 */
public record ConsoleConfig(boolean open, Optional<String> actPassword, Optional<Path> actPasswordFile) {
    public ConsoleConfig {
        if (actPassword.isPresent() && actPasswordFile.isPresent()) {
            throw new InvalidSetting(
                    "ConsoleActPassword", "conflicts with ConsoleActPasswordFile; set only one of them");
        }
    }

    @Override
    public String toString() {
        return "ConsoleConfig[open=" + open + ", actPassword=" + Secrets.shown(actPassword) + ", actPasswordFile="
                + actPasswordFile + "]";
    }
}
