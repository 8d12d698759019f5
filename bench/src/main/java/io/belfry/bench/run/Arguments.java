package io.belfry.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The settings of a child process: secrets as environment variables, because every user of the machine can read arguments,
 * and all others as arguments. Immutable.
 */
record Arguments(List<String> words, Map<String, String> environment) {
    private static final String HIDDEN = "(hidden)";
    private static final Pattern SECRET = Pattern.compile("(?i)(?!.*File$)(?:.*(?:token|password|secret)|custom\\..*)");

    /** {@code prefix} is the prefix of the program's environment variables: {@code BENCHSUB_}. */
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

    /** Splits settings of the form {@code KEY=VALUE}; one without a value is passed on, so that the child reports it. */
    static Map<String, String> split(List<String> sets) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String set : sets) {
            String[] parts = set.split("=", 2);
            settings.put(parts[0].strip(), parts.length == 1 ? "" : parts[1].strip());
        }
        return settings;
    }

    /** Returns the settings for a report, with a placeholder for each secret. */
    static Map<String, String> withoutSecrets(Map<String, String> settings) {
        Map<String, String> shown = new LinkedHashMap<>(settings);
        shown.replaceAll((key, value) -> SECRET.matcher(key).matches() ? HIDDEN : value);
        return shown;
    }
}
