package io.belfry.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Settings for a child, so divided that what is secret goes through its environment: what stands in a program's arguments
 * every user of the machine can read. Immutable.
 */
record Arguments(List<String> words, Map<String, String> environment) {
    private static final Pattern SECRET = Pattern.compile("(?i)(?!.*File$)(?:.*(?:token|password|secret)|custom\\..*)");

    /** {@code prefix} is that of the program's variables: {@code BENCHSUB_}. */
    static Arguments of(String prefix, Map<String, String> settings) {
        List<String> words = new ArrayList<>();
        Map<String, String> environment = new LinkedHashMap<>();
        settings.forEach((key, value) -> {
            if (SECRET.matcher(key).matches()) {
                environment.put(prefix + key.replace('.', '_').toUpperCase(Locale.ROOT), value);
            } else {
                words.addAll(List.of("--set", key + "=" + value));
            }
        });
        return new Arguments(words, environment);
    }

    /** Of words as they follow {@code --set}. */
    static Arguments of(String prefix, List<String> sets) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String set : sets) {
            int sign = set.indexOf('=');
            if (sign > 0) {
                settings.put(
                        set.substring(0, sign).strip(), set.substring(sign + 1).strip());
            } else {
                // The child says what is wrong with it.
                settings.put(set, "");
            }
        }
        return of(prefix, settings);
    }
}
