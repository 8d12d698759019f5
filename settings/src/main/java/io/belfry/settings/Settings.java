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
 * What a program is told to do: for each of its keys the written value or the default, parsed, and where it comes from.
 * A file is overridden by the environment, and that by {@code --set}. Where a written value is wrong there is a problem
 * and the default stands in, so that the rest can be checked too. Immutable.
 */
public final class Settings {
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

    /** Reads everything and throws if anything is wrong. */
    public static Settings load(KeySet keys, Optional<Path> file, Map<String, String> environment, List<String> sets) {
        Settings settings = read(keys, file, environment, sets);
        if (!settings.problems.isEmpty()) throw new SettingsException(settings.problems);
        return settings;
    }

    /** Reads everything and never throws: see {@link #problems()}. */
    public static Settings read(KeySet keys, Optional<Path> file, Map<String, String> environment, List<String> sets) {
        SettingsReader reader = new SettingsReader(keys);
        file.ifPresent(reader::readFile);
        reader.readEnvironment(environment);
        reader.readOverrides(sets);
        return reader.settings();
    }

    public KeySet keys() {
        return keys;
    }

    public List<Problem> problems() {
        return problems;
    }

    /** Whether somebody wrote a value for it, be it the default's; an empty value counts as none. */
    public boolean isWritten(Key key) {
        return written(key.keyName()).isPresent();
    }

    /** Where the value comes from. */
    public Origin origin(Key key) {
        return written(key.keyName()).map(Entry::origin).orElse(DEFAULT);
    }

    /** The value as written, else the default's text, else empty. */
    public Optional<String> text(Key key) {
        return written(key.keyName()).map(Entry::value).or(key::defaultText);
    }

    public boolean flag(Key key) {
        return required(key, Boolean.class);
    }

    public long number(Key key) {
        return required(key, Long.class);
    }

    /** As {@link #number}, for keys whose bounds are within an int. */
    public int whole(Key key) {
        return Math.toIntExact(number(key));
    }

    /** Empty when the word stands there. */
    public OptionalLong numberOrWord(Key key) {
        return required(key, OptionalLong.class);
    }

    public long sizeBytes(Key key) {
        return number(key);
    }

    public Share share(Key key) {
        return required(key, Share.class);
    }

    public long timeMillis(Key key) {
        return number(key);
    }

    /** In the spelling of the key's type. */
    public String choice(Key key) {
        return required(key, String.class);
    }

    public Optional<Path> path(Key key) {
        return value(key, Path.class);
    }

    /** Empty when not set. */
    public Optional<Ranges> list(Key key) {
        return value(key, Ranges.class);
    }

    /** What is written under a pattern key, in the order written: the name behind the prefix, and the value. */
    public Map<String, String> under(Key pattern) {
        Map<String, String> found = new LinkedHashMap<>();
        entriesOf(pattern)
                .forEach(entry ->
                        found.put(entry.name().substring(KeySet.prefix(pattern).length()), entry.value()));
        return Collections.unmodifiableMap(found);
    }

    /** What is written for a key: at most one entry, any number for a pattern key. */
    public List<Entry> entriesOf(Key key) {
        return writtenByLowerName.values().stream()
                .filter(entry -> keys.find(entry.name()).filter(key::equals).isPresent())
                .toList();
    }

    /** Whether both have the same value for a key, however it is written and wherever it comes from. */
    public boolean agreesWith(Settings other, Key key) {
        return key.pattern()
                ? under(key).equals(other.under(key))
                : Objects.equals(values.get(key), other.values.get(key));
    }

    /** These settings, but with the values that another has for the chosen keys. */
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
     * One line {@code Name = value  # from where} for each setting, in the form of a file; secrets are hidden.
     *
     * @param resolved what a value comes to where that is not what is written: a number for {@code processors}
     */
    public List<String> lines(Map<? extends Key, String> resolved) {
        return keys.keys().stream()
                .flatMap(key -> key.pattern()
                        ? entriesOf(key).stream().map(entry -> line(key, entry))
                        : Stream.of(line(key, Optional.ofNullable(resolved.get(key)))))
                .toList();
    }

    /** A problem with the setting of this name, located where its value stands. */
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
