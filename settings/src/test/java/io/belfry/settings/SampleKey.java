package io.belfry.settings;

import java.util.Optional;

/** The keys of a small program, for tests. */
@SuppressWarnings("ImmutableEnumChecker") // every ValueType is immutable
enum SampleKey implements Key {
    SIZE("MaxSize", ValueType.size(SizeUnit.B, 1, Long.MAX_VALUE), "64 KB"),
    SPEED("Speed", ValueType.number(1, 10), "5"),
    FLAG("A.Flag", ValueType.flag(), "false"),
    LIST("List", ValueType.list(), ""),
    TOKEN("Token", ValueType.text(), ""),
    GROUP("Group.*", ValueType.text(), "");

    private final KeyDefinition definition;

    SampleKey(String keyName, ValueType<?> type, String defaultText) {
        Optional<String> value = Optional.of(defaultText).filter(text -> !text.isEmpty());
        this.definition = new KeyDefinition(keyName, type, value, "For the tests.");
    }

    @Override
    public KeyDefinition definition() {
        return definition;
    }

    @Override
    public boolean secret() {
        return this == TOKEN;
    }
}
