package io.belfry.server.config;

import io.belfry.settings.KeyDefinition;
import io.belfry.settings.ValueType;
import java.util.List;
import java.util.Optional;

/** The definition of a key, and its topic. Immutable. */
record TopicKey(ConfigTopic topic, KeyDefinition definition, List<Trait> traits) {
    enum Trait {
        SECRET,
        RELOADABLE
    }

    TopicKey {
        traits = List.copyOf(traits);
    }

    /** Defines a key without a default. The key has no value unless the configuration sets it. */
    TopicKey(ConfigTopic topic, String keyName, ValueType<?> type, String sentence, Trait... traits) {
        this(topic, new KeyDefinition(keyName, type, Optional.empty(), sentence), List.of(traits));
    }

    TopicKey(
            ConfigTopic topic,
            String keyName,
            ValueType<?> type,
            String defaultText,
            String sentence,
            Trait... traits) {
        this(topic, new KeyDefinition(keyName, type, Optional.of(defaultText), sentence), List.of(traits));
    }
}
