package io.belfry.settings;

import java.util.Locale;

/** Boolean values, written {@code true | false}, {@code on | off} or {@code yes | no}. Immutable. */
record FlagType() implements ValueType<Boolean> {
    @Override
    public Boolean parse(String text) throws BadValue {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "on", "yes" -> true;
            case "false", "off", "no" -> false;
            default -> throw new BadValue("must be true or false");
        };
    }

    @Override
    public String form() {
        return "true | false";
    }
}
