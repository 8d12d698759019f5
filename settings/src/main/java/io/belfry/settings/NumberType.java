package io.belfry.settings;

/** Whole numbers within bounds. Immutable. */
record NumberType(long min, long max) implements ValueType<Long> {
    @Override
    public Long parse(String text) throws BadValue {
        long value = whole(text);
        if (value < min || value > max) throw new BadValue(boundsRule(min, max));
        return value;
    }

    @Override
    public String form() {
        return "number";
    }

    static long whole(String text) throws BadValue {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException notANumber) {
            throw new BadValue("must be a whole number");
        }
    }

    static String boundsRule(long min, long max) {
        return max == Long.MAX_VALUE
                ? "must be %d or more".formatted(min)
                : "must be from %d to %d".formatted(min, max);
    }
}
