package io.belfry.settings;

import java.util.OptionalLong;

/** A number within bounds, or a word for a value that is known at run time only. Immutable. */
record NumberOrWordType(String word, long min, long max) implements ValueType<OptionalLong> {
    @Override
    public OptionalLong parse(String text) throws BadValue {
        if (text.equalsIgnoreCase(word)) return OptionalLong.empty();
        try {
            return OptionalLong.of(new NumberType(min, max).parse(text));
        } catch (BadValue number) {
            throw new BadValue(number.rule() + ", or " + word);
        }
    }

    @Override
    public String form() {
        return "number | " + word;
    }
}
