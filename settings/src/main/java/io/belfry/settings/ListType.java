package io.belfry.settings;

record ListType(String form) implements ValueType<Ranges> {
    @Override
    public Ranges parse(String text) throws BadValue {
        return Ranges.parse(text);
    }
}
