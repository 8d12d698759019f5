package io.belfry.server.console;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.doctor.Doctor;
import io.belfry.server.doctor.Finding;
import io.belfry.server.doctor.HostReader;
import io.belfry.server.json.JsonBytes;
import io.belfry.server.monitor.FigureJson;
import io.belfry.settings.Entry;
import io.belfry.settings.Key;
import io.belfry.settings.Settings;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Writes the effective configuration with its sources, and the doctor's findings. Immutable. */
record SettingsJson(ConsoleSetup setup) {
    byte[] write() {
        Optional<EffectiveConfig> effective = setup.effective().get();
        return JsonBytes.object(json -> {
            json.writeArrayFieldStart("settings");
            if (effective.isPresent()) {
                Settings settings = effective.get().settings();
                for (Key key : settings.keys().keys()) {
                    key(json, settings, key);
                }
            }
            json.writeEndArray();
            json.writeArrayFieldStart("doctor");
            for (Finding finding : findings(effective)) {
                json.writeStartObject();
                json.writeStringField("severity", FigureJson.text(finding.severity()));
                json.writeStringField("text", finding.what());
                json.writeStringField("fix", String.join("\n", finding.mend()));
                json.writeEndObject();
            }
            json.writeEndArray();
            Json.optional(
                    json,
                    "certificateExpires",
                    setup.monitored()
                            .encryption()
                            .map(encryption ->
                                    encryption.certificateExpires().get().toString()));
        });
    }

    private static List<Finding> findings(Optional<EffectiveConfig> effective) {
        return effective
                .map(EffectiveConfig::config)
                .map(config -> Doctor.examine(
                        config, HostReader.here(true, config.history().folder()).withoutListeners()))
                .orElse(List.of());
    }

    private static void key(JsonGenerator json, Settings settings, Key key) throws IOException {
        if (key.pattern()) {
            for (Entry entry : settings.entriesOf(key)) {
                setting(
                        json,
                        key,
                        entry.name(),
                        Optional.of(entry.value()),
                        entry.origin().toString());
            }
        } else {
            setting(
                    json,
                    key,
                    key.keyName(),
                    settings.text(key),
                    settings.origin(key).toString());
        }
    }

    private static void setting(JsonGenerator json, Key key, String name, Optional<String> value, String source)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("key", name);
        json.writeStringField("chapter", key.chapter());
        Json.optional(json, "value", key.secret() ? value.map(secret -> Settings.HIDDEN) : value);
        json.writeStringField("source", source);
        Json.optional(json, "default", key.defaultText());
        json.writeBooleanField("reload", key.reloadable());
        json.writeStringField("sentence", key.sentence());
        json.writeEndObject();
    }
}
