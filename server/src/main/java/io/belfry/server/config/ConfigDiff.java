package io.belfry.server.config;

import java.util.List;
import java.util.stream.Stream;

/** Changes of a reload: keys that take effect at once, and keys that take effect at a restart. Immutable. */
public record ConfigDiff(List<ConfigKey> atOnce, List<ConfigKey> atRestart) {
    public ConfigDiff {
        atOnce = List.copyOf(atOnce);
        atRestart = List.copyOf(atRestart);
    }

    /** Compares parsed values, not texts: {@code 64 KB} and {@code 65536} are equal. */
    public static ConfigDiff between(EffectiveConfig old, EffectiveConfig next) {
        List<ConfigKey> changed = Stream.of(ConfigKey.values())
                .filter(key -> !old.settings().agreesWith(next.settings(), key))
                .toList();
        return new ConfigDiff(
                changed.stream().filter(ConfigKey::reloadable).toList(),
                changed.stream().filter(key -> !key.reloadable()).toList());
    }

    /** Returns whether no key changes. */
    public boolean isEmpty() {
        return atOnce.isEmpty() && atRestart.isEmpty();
    }
}
