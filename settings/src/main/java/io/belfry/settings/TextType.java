package io.belfry.settings;

record TextType(String form) implements ValueType<String> {
    @Override
    public String parse(String text) {
        return text;
    }
}
