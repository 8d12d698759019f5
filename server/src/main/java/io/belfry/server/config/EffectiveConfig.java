package io.belfry.server.config;

import io.belfry.settings.Key;
import io.belfry.settings.Settings;
import io.belfry.settings.SizeUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A valid configuration and the settings it was created from. Immutable; its text never contains secrets. */
public record EffectiveConfig(ServerConfig config, Settings settings) {
    static EffectiveConfig of(Settings settings) {
        return new EffectiveConfig(ConfigLoader.of(settings), settings);
    }

    /** Returns {@code Name = value  # origin} for every key, in the form of a loadable configuration file. */
    public List<String> lines() {
        Map<Key, String> computed = new HashMap<>(Map.of(
                ConfigKey.WORKGROUPS, Integer.toString(config.workgroups().workgroups()),
                ConfigKey.IO_THREADS, Integer.toString(config.workgroups().ioThreads()),
                ConfigKey.CACHE_MEMORY, SizeUnit.write(config.history().cacheMemoryBytes())));
        if (!config.history().expires()) {
            computed.put(ConfigKey.CACHE_EXPIRE_TIME, "0");
        }
        return settings.lines(computed);
    }

    /**
     * Returns this configuration with the reloadable values of {@code next}. Throws a SettingsException if the
     * combination breaks a rule, even though both configurations are valid.
     */
    public EffectiveConfig reloadedWith(EffectiveConfig next) {
        return of(settings.with(next.settings, Key::reloadable));
    }
}
