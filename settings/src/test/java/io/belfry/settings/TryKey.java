package io.belfry.settings;

import java.util.Optional;

/** The keys of a small program. */
@SuppressWarnings("ImmutableEnumChecker") // every ValueType is immutable
enum TryKey implements Key {
    SIZE("MaxSize", ValueType.size(SizeUnit.B, 1, Long.MAX_VALUE), "64 KB"),
    SPEED("Speed", ValueType.number(1, 10), "5"),
    FLAG("A.Flag", ValueType.flag(), "false"),
    LIST("List", ValueType.list(), ""),
    TOKEN("Token", ValueType.text(), ""),
    GROUP("Group.*", ValueType.text(), "");

    private final String keyName;
    private final ValueType<?> type;
    private final String defaultText;

    TryKey(String keyName, ValueType<?> type, String defaultText) {
        this.keyName = keyName;
        this.type = type;
        this.defaultText = defaultText;
    }

    @Override
    public String keyName() {
        return keyName;
    }

    @Override
    public ValueType<?> type() {
        return type;
    }

    @Override
    public Optional<String> defaultText() {
        return Optional.of(defaultText).filter(text -> !text.isEmpty());
    }

    @Override
    public String sentence() {
        return "For the tests.";
    }

    @Override
    public boolean secret() {
        return this == TOKEN;
    }
}
