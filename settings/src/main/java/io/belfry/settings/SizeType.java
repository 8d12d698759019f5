package io.belfry.settings;

/** Sizes within bounds, in bytes; {@code bare} is the unit of a number without a unit. Immutable. */
record SizeType(SizeUnit bare, long minBytes, long maxBytes) implements ValueType<Long> {
    static final String FORM = "must be a whole number with B, KB, MB, GB or TB";

    @Override
    public Long parse(String text) throws BadValue {
        long bytes = bytes(Quantity.parse(text, FORM), bare);
        if (bytes < minBytes || bytes > maxBytes) throw new BadValue(boundsRule());
        return bytes;
    }

    @Override
    public String form() {
        return bare == SizeUnit.B ? "size" : "size (" + bare + ")";
    }

    static long bytes(Quantity quantity, SizeUnit bare) throws BadValue {
        if (quantity.unit().isEmpty()) return quantity.times(bare.bytes(), FORM);
        for (SizeUnit unit : SizeUnit.values()) {
            if (unit.name().equalsIgnoreCase(quantity.unit())) return quantity.times(unit.bytes(), FORM);
        }
        throw new BadValue(FORM);
    }

    private String boundsRule() {
        return maxBytes == Long.MAX_VALUE
                ? "must be %s or more".formatted(SizeUnit.write(minBytes))
                : "must be from %s to %s".formatted(SizeUnit.write(minBytes), SizeUnit.write(maxBytes));
    }
}
