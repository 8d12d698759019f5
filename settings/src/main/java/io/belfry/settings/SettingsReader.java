package io.belfry.settings;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Merges the sources of settings; later sources override earlier ones. Owner: the call that loads the settings. */
final class SettingsReader {
    private final KeySet keys;
    private final Map<String, Entry> written = new LinkedHashMap<>();
    private final Map<Key, Object> values = new HashMap<>();
    private final List<Problem> problems = new ArrayList<>();

    SettingsReader(KeySet keys) {
        this.keys = keys;
    }

    void readFile(Path file) {
        try {
            PropertiesText text = PropertiesText.parse(file.toString(), Files.readString(file));
            problems.addAll(text.problems());
            text.entries().forEach(this::take);
        } catch (NoSuchFileException missing) {
            problems.add(new Problem(file.toString(), "the configuration file", "there is no such file"));
        } catch (CharacterCodingException notUtf8) {
            problems.add(new Problem(file.toString(), "the configuration file", "must be UTF-8 text"));
        } catch (IOException unreadable) {
            problems.add(new Problem(file.toString(), "the configuration file", "cannot be read: " + unreadable));
        }
    }

    void readEnvironment(Map<String, String> environment) {
        // Sorted, so that the order of problems does not depend on the order of the environment.
        new TreeMap<>(environment).forEach((variable, value) -> {
            if (keys.claims(variable)) readVariable(variable, value);
        });
    }

    /**
     * Reads arguments {@code KEY=VALUE}. Of several for one key the last one counts, so that a script can append to a
     * command.
     */
    void readOverrides(List<String> sets) {
        for (String set : sets) {
            int equals = set.indexOf('=');
            if (equals > 0) {
                String name = set.substring(0, equals).strip();
                take(new Entry(name, set.substring(equals + 1).strip(), new Origin.CommandLine()));
            } else {
                // An argument without = may be a secret, so only the name of a key is shown.
                String shown = keys.find(set).map(Key::keyName).orElse("an argument");
                problems.add(new Problem("--set", shown, "must be written --set KEY=VALUE"));
            }
        }
    }

    Settings settings() {
        for (Key key : keys.keys()) {
            key.defaultText().ifPresent(text -> values.computeIfAbsent(key, missing -> parseDefault(key, text)));
        }
        return new Settings(keys, written, values, problems);
    }

    private void readVariable(String variable, String value) {
        keys.nameOfVariable(variable)
                .ifPresentOrElse(
                        name -> take(new Entry(name, value.strip(), new Origin.Environment(variable))),
                        () -> problems.add(new Problem(
                                "environment",
                                variable,
                                "no key belongs to this variable; " + keys.adviceOnVariable(variable))));
    }

    private void take(Entry entry) {
        keys.find(entry.name()).ifPresentOrElse(key -> take(key, entry), () -> refuseUnknown(entry));
    }

    // The problem omits the value: the key may be the misspelt name of a secret.
    private void refuseUnknown(Entry entry) {
        String rule = "unknown key; " + keys.adviceOnName(entry.name());
        problems.add(new Problem(entry.origin().toString(), entry.name(), rule));
    }

    /** Parses the value even if a later source overrides it; a wrong value does not replace the earlier one. */
    private void take(Key key, Entry entry) {
        if (entry.value().isEmpty()) {
            takeEmpty(key, entry);
            return;
        }
        try {
            Object value = key.type().parse(entry.value());
            if (!key.pattern()) values.put(key, value);
            written.put(entry.name().toLowerCase(Locale.ROOT), entry);
        } catch (BadValue bad) {
            problems.add(Problem.of(entry, key.secret(), bad.rule()));
        }
    }

    private void takeEmpty(Key key, Entry entry) {
        if (key.defaultText().isPresent()) {
            String rule = "needs a value; without this line the value is "
                    + key.defaultText().get();
            problems.add(new Problem(entry.origin().toString(), entry.name(), rule));
            return;
        }
        values.remove(key);
        written.remove(entry.name().toLowerCase(Locale.ROOT));
    }

    private static Object parseDefault(Key key, String text) {
        try {
            return key.type().parse(text);
        } catch (BadValue bad) {
            throw new IllegalStateException("the default of " + key.keyName() + " " + bad.rule(), bad);
        }
    }
}
