package io.belfry.server.config;

import java.util.List;
import java.util.stream.Stream;

/** What a reload changes: the keys a running server takes at once, and those that wait for a restart. Immutable. */
public record ConfigDiff(List<ConfigKey> atOnce, List<ConfigKey> atRestart) {
    public ConfigDiff {
        atOnce = List.copyOf(atOnce);
        atRestart = List.copyOf(atRestart);
    }

    /** Values count, not spellings: {@code 64 KB} and {@code 65536} do not differ. */
    public static ConfigDiff between(EffectiveConfig old, EffectiveConfig next) {
        List<ConfigKey> changed = Stream.of(ConfigKey.values())
                .filter(key -> !old.settings().agreesWith(next.settings(), key))
                .toList();
        return new ConfigDiff(
                changed.stream().filter(ConfigKey::reloadable).toList(),
                changed.stream().filter(key -> !key.reloadable()).toList());
    }

    public boolean isEmpty() {
        return atOnce.isEmpty() && atRestart.isEmpty();
    }
}
