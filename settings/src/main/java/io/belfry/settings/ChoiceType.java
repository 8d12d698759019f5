package io.belfry.settings;

import java.util.List;

/** Values that are one of a fixed set of words, compared without regard to case. Immutable. */
record ChoiceType(List<String> words) implements ValueType<String> {
    @Override
    public String parse(String text) throws BadValue {
        for (String word : words) {
            if (word.equalsIgnoreCase(text)) return word;
        }
        throw new BadValue("must be one of " + String.join(", ", words));
    }

    @Override
    public String form() {
        return String.join(" | ", words);
    }
}
