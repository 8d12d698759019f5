package io.belfry.benchkit.measure;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats texts the same way in every locale. Pure. */
public final class Texts {
    private Texts() {}

    /** As {@link String#format(Locale, String, Object...)} with {@link Locale#ROOT}. */
    @SuppressWarnings("AnnotateFormatMethod") // The annotation is in a library that nothing else here needs.
    public static String format(String format, @Nullable Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** {@code GAPS_ANNOUNCED} as "Gaps announced". */
    public static String capitalized(String constant) {
        return constant.charAt(0) + constant.substring(1).replace('_', ' ').toLowerCase(Locale.ROOT);
    }

    /** {@code GAPS_ANNOUNCED} as "GapsAnnounced". */
    public static String pascalCase(String constant) {
        return Arrays.stream(constant.split("_", -1)).map(Texts::capitalized).collect(Collectors.joining());
    }

    /** {@code GAPS_ANNOUNCED} as "gapsAnnounced". */
    public static String camelCase(String constant) {
        return constant.substring(0, 1).toLowerCase(Locale.ROOT)
                + pascalCase(constant).substring(1);
    }
}
