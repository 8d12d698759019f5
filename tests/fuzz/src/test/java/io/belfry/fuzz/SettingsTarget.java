package io.belfry.fuzz;

import io.belfry.server.config.ConfigLoader;
import io.belfry.settings.Entry;
import io.belfry.settings.PropertiesText;
import io.belfry.settings.SettingsException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Configuration files: loading returns a configuration or throws a {@link SettingsException} with a reason. */
public final class SettingsTarget {
    private SettingsTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        PropertiesText text = PropertiesText.parse("belfry.conf", new String(input, StandardCharsets.UTF_8));
        for (Entry entry : text.entries()) {
            SplitInput.require(!entry.name().isBlank() && entry.name().indexOf('=') < 0, "the name is invalid");
            SplitInput.require(entry.value().lines().count() <= 1, "the value has several lines");
        }
        List<String> sets = text.entries().stream()
                .map(entry -> entry.name() + "=" + entry.value())
                .toList();
        try {
            ConfigLoader.load(Optional.empty(), Map.of(), sets);
        } catch (SettingsException refused) {
            SplitInput.require(refused.toString().contains(": "), "the exception has no reason");
        }
    }
}
