package io.belfry.server.config;

import io.belfry.settings.Key;
import io.belfry.settings.Settings;
import io.belfry.settings.SizeUnit;
import java.util.List;
import java.util.Map;

/** A valid configuration together with the settings it was made of. Immutable; secrets are never shown. */
public record EffectiveConfig(ServerConfig config, Settings settings) {
    static EffectiveConfig of(Settings settings) {
        return new EffectiveConfig(ConfigLoader.of(settings), settings);
    }

    /** {@code Name = value  # from where} for every key, in the form of a file that can be loaded again. */
    public List<String> lines() {
        return settings.lines(Map.of(
                ConfigKey.WORKGROUPS, Integer.toString(config.workgroups().workgroups()),
                ConfigKey.IO_THREADS, Integer.toString(config.workgroups().ioThreads()),
                ConfigKey.CACHE_MEMORY, SizeUnit.write(config.history().cacheMemoryBytes())));
    }

    /**
     * This configuration with those values of the next one that a running server can take. Throws a SettingsException
     * where that mixture breaks a rule, though each of the two is valid.
     */
    public EffectiveConfig reloadedWith(EffectiveConfig next) {
        return of(settings.with(next.settings, Key::reloadable));
    }
}
