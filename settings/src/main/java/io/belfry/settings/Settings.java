package io.belfry.settings;

import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a program: for each key the parsed value, which is written or the default, and its source. The
 * environment overrides the file, and {@code --set} overrides both. A wrong value is recorded as a problem and replaced
 * by the default, so that all other values can be checked too. Immutable.
 */
public final class Settings {
    /** The text that replaces the value of a secret. */
    public static final String HIDDEN = "(hidden)";

    private static final Origin DEFAULT = new Origin.Default();

    private final KeySet keys;
    private final Map<String, Entry> writtenByLowerName;
    private final Map<Key, Object> values;
    private final List<Problem> problems;

    Settings(KeySet keys, Map<String, Entry> writtenByLowerName, Map<Key, Object> values, List<Problem> problems) {
        this.keys = keys;
        this.writtenByLowerName = Collections.unmodifiableMap(new LinkedHashMap<>(writtenByLowerName));
        this.values = Map.copyOf(values);
        this.problems = List.copyOf(problems);
    }

    /** Reads all sources, and throws {@link SettingsException} if anything is wrong. */
    public static Settings load(KeySet keys, Optional<Path> file, Map<String, String> environment, List<String> sets) {
        Settings settings = read(keys, file, environment, sets);
        if (!settings.problems.isEmpty()) throw new SettingsException(settings.problems);
        return settings;
    }

    /** Reads all sources and never throws; errors are in {@link #problems()}. */
    public static Settings read(KeySet keys, Optional<Path> file, Map<String, String> environment, List<String> sets) {
        SettingsReader reader = new SettingsReader(keys);
        file.ifPresent(reader::readFile);
        reader.readEnvironment(environment);
        reader.readOverrides(sets);
        return reader.settings();
    }

    /** Returns the keys of the program. */
    public KeySet keys() {
        return keys;
    }

    /** Returns the errors found in the sources. */
    public List<Problem> problems() {
        return problems;
    }

    /** Whether a source has a value for the key, even one equal to the default. An empty value counts as none. */
    public boolean isWritten(Key key) {
        return written(key.keyName()).isPresent();
    }

    /** Returns the source of the key's value. */
    public Origin origin(Key key) {
        return written(key.keyName()).map(Entry::origin).orElse(DEFAULT);
    }

    /** Returns the value as written, else the text of the default, else empty. */
    public Optional<String> text(Key key) {
        return written(key.keyName()).map(Entry::value).or(key::defaultText);
    }

    /** Returns the value of a flag. */
    public boolean flag(Key key) {
        return required(key, Boolean.class);
    }

    /** Returns the value of a number. */
    public long number(Key key) {
        return required(key, Long.class);
    }

    /** Returns the value of a number as an int, for keys whose bounds are within an int. */
    public int whole(Key key) {
        return Math.toIntExact(number(key));
    }

    /** Returns the number, or empty if the word is written. */
    public OptionalLong numberOrWord(Key key) {
        return required(key, OptionalLong.class);
    }

    /** Returns the value of a size, in bytes. */
    public long sizeBytes(Key key) {
        return number(key);
    }

    /** Returns the value of a share. */
    public ByteShare share(Key key) {
        return required(key, ByteShare.class);
    }

    /** Returns the value of a time, in milliseconds. */
    public long timeMillis(Key key) {
        return number(key);
    }

    /** Returns the chosen word, in the spelling of the key's type. */
    public String choice(Key key) {
        return required(key, String.class);
    }

    /** Returns the path, or empty if it is not set. */
    public Optional<Path> path(Key key) {
        return value(key, Path.class);
    }

    /** Returns the list, or empty if it is not set. */
    public Optional<Ranges> list(Key key) {
        return value(key, Ranges.class);
    }

    /** Returns the entries under a pattern key in the order written, by the last part of their names. */
    public Map<String, String> under(Key pattern) {
        Map<String, String> found = new LinkedHashMap<>();
        entriesOf(pattern)
                .forEach(entry ->
                        found.put(entry.name().substring(KeySet.prefix(pattern).length()), entry.value()));
        return Collections.unmodifiableMap(found);
    }

    /** Returns the written entries of a key: at most one, or any number for a pattern key. */
    public List<Entry> entriesOf(Key key) {
        return writtenByLowerName.values().stream()
                .filter(entry -> keys.find(entry.name()).filter(key::equals).isPresent())
                .toList();
    }

    /** Whether both settings have the same value for a key, whatever its spelling and its source. */
    public boolean agreesWith(Settings other, Key key) {
        return key.pattern()
                ? under(key).equals(other.under(key))
                : Objects.equals(values.get(key), other.values.get(key));
    }

    /** Returns these settings with the values of {@code other} for the chosen keys. */
    public Settings with(Settings other, Predicate<Key> chosen) {
        Map<String, Entry> mergedWritten = new LinkedHashMap<>();
        Map<Key, Object> mergedValues = new HashMap<>();
        for (Key key : keys.keys()) {
            Settings source = chosen.test(key) ? other : this;
            source.entriesOf(key).forEach(entry -> mergedWritten.put(lower(entry.name()), entry));
            @Nullable Object value = source.values.get(key);
            if (value != null) mergedValues.put(key, value);
        }
        return new Settings(keys, mergedWritten, mergedValues, problems);
    }

    /**
     * Returns one line {@code Name = value  # source} for each setting, in the form of a file; secrets are hidden.
     *
     * @param resolved the effective value where it differs from the written one: a number for {@code processors}
     */
    public List<String> lines(Map<? extends Key, String> resolved) {
        return keys.keys().stream()
                .flatMap(key -> key.pattern()
                        ? entriesOf(key).stream().map(entry -> line(key, entry))
                        : Stream.of(line(key, Optional.ofNullable(resolved.get(key)))))
                .toList();
    }

    /** Returns a problem with the setting of this name, located at the source of its value. */
    public Problem problem(String keyName, String rule) {
        Optional<Key> key = keys.find(keyName);
        boolean secret = key.map(Key::secret).orElse(false);
        return written(keyName)
                .map(entry -> Problem.of(entry, secret, rule))
                .orElseGet(() -> new Problem(
                        DEFAULT.toString(),
                        keyName
                                + key.flatMap(Key::defaultText)
                                        .map(text -> " = " + text)
                                        .orElse(""),
                        rule));
    }

    private static String line(Key key, Entry entry) {
        return entry.name() + " = " + (key.secret() ? HIDDEN : entry.value()) + "  # " + entry.origin();
    }

    private String line(Key key, Optional<String> resolved) {
        Optional<String> text = text(key);
        if (text.isEmpty()) return key.keyName() + " =  # not set";
        if (key.secret()) return key.keyName() + " = " + HIDDEN + "  # " + origin(key);
        String asWritten = resolved.isEmpty() || resolved.equals(text) ? "" : " (" + text.get() + ")";
        return key.keyName() + " = " + resolved.or(() -> text).get() + "  # " + origin(key) + asWritten;
    }

    private Optional<Entry> written(String name) {
        return Optional.ofNullable(writtenByLowerName.get(lower(name)));
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private <T> T required(Key key, Class<T> type) {
        return value(key, type).orElseThrow(() -> new IllegalStateException(key.keyName() + " has no default"));
    }

    private <T> Optional<T> value(Key key, Class<T> type) {
        @Nullable Object value = values.get(key);
        return value == null ? Optional.empty() : Optional.of(type.cast(value));
    }
}
