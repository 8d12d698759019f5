package io.belfry.settings;

/** Comma lists with ranges; {@code form} describes the elements in the documentation. Immutable. */
record ListType(String form) implements ValueType<Ranges> {
    @Override
    public Ranges parse(String text) throws BadValue {
        return Ranges.parse(text);
    }
}
