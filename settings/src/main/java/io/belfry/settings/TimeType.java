package io.belfry.settings;

/** Times within bounds, in milliseconds; {@code bare} is the unit of a number without a unit. Immutable. */
record TimeType(TimeScale bare, long minMillis, long maxMillis) implements ValueType<Long> {
    private static final String FORM = "must be a whole number with ms, s, m or h";

    @Override
    public Long parse(String text) throws BadValue {
        long millis = millis(Quantity.parse(text, FORM));
        if (millis < minMillis || millis > maxMillis) throw new BadValue(boundsRule());
        return millis;
    }

    @Override
    public String form() {
        return "time (" + bare.symbol() + ")";
    }

    private long millis(Quantity quantity) throws BadValue {
        if (quantity.unit().isEmpty()) return quantity.times(bare.millis(), FORM);
        for (TimeScale unit : TimeScale.values()) {
            if (unit.symbol().equals(quantity.unit())) return quantity.times(unit.millis(), FORM);
        }
        throw new BadValue(FORM);
    }

    private String boundsRule() {
        return maxMillis == Long.MAX_VALUE
                ? "must be %s or more".formatted(TimeScale.write(minMillis))
                : "must be from %s to %s".formatted(TimeScale.write(minMillis), TimeScale.write(maxMillis));
    }
}
