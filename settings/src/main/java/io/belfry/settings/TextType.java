package io.belfry.settings;

/** Any text; {@code form} describes the text in the documentation. Immutable. */
record TextType(String form) implements ValueType<String> {
    @Override
    public String parse(String text) {
        return text;
    }
}
