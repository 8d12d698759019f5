package io.belfry.fuzz;

import io.belfry.server.config.ConfigLoader;
import io.belfry.settings.Entry;
import io.belfry.settings.PropertiesText;
import io.belfry.settings.SettingsException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A settings file: a configuration, or an exception that says what is wrong with it; no other. */
public final class SettingsTarget {
    private SettingsTarget() {}

    public static void fuzzerTestOneInput(byte[] input) {
        PropertiesText text = PropertiesText.parse("belfry.conf", new String(input, StandardCharsets.UTF_8));
        for (Entry entry : text.entries()) {
            Pieces.require(!entry.name().isBlank() && entry.name().indexOf('=') < 0, "a name");
            Pieces.require(entry.value().lines().count() <= 1, "a value of one line");
        }
        List<String> sets = text.entries().stream()
                .map(entry -> entry.name() + "=" + entry.value())
                .toList();
        try {
            ConfigLoader.load(Optional.empty(), Map.of(), sets);
        } catch (SettingsException refused) {
            Pieces.require(refused.toString().contains(": "), "a reason");
        }
    }
}
