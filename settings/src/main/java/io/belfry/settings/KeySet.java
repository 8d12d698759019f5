package io.belfry.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The keys of one program and how they are found by name and by environment variable. Immutable.
 */
public final class KeySet {
    /**
     * What Kubernetes puts into every container for a service whose name begins like our prefix; not meant for us:
     * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
     */
    private static final Pattern SERVICE_LINK =
            Pattern.compile("(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

    private final List<Key> keys;
    private final Map<String, Key> byLowerName = new LinkedHashMap<>();
    private final String environmentPrefix;
    private final Set<String> foreignVariables;
    private final String document;

    /**
     * The keys in the order in which they are to be shown.
     *
     * @param environmentPrefix of the variables that set keys: {@code BELFRY_}
     * @param foreignVariables variables with this prefix that belong to somebody else: {@code BELFRY_JAVA_HOME}
     * @param document the file that tells all keys, named to who wrote one that is none
     */
    public KeySet(List<? extends Key> keys, String environmentPrefix, Set<String> foreignVariables, String document) {
        this.keys = List.copyOf(keys);
        this.environmentPrefix = environmentPrefix;
        this.foreignVariables = Set.copyOf(foreignVariables);
        this.document = document;
        this.keys.forEach(key -> byLowerName.put(key.keyName().toLowerCase(Locale.ROOT), key));
    }

    public List<Key> keys() {
        return keys;
    }

    /** The key of this name, or the pattern key that takes it. */
    public Optional<Key> find(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return Optional.ofNullable(byLowerName.get(lower))
                .filter(key -> !key.pattern())
                .or(() -> keys.stream()
                        .filter(key -> key.pattern() && takes(key, lower))
                        .findFirst());
    }

    /** What to say to who wrote a name that is no key. */
    String adviceOnName(String name) {
        return Nearest.to(name, keys.stream().map(Key::keyName).toList())
                .map(nearest -> "the nearest one is " + nearest)
                .orElse(listed());
    }

    private String listed() {
        return document + " has them all";
    }

    /** {@code MonitorJMX.Listen} is set by {@code BELFRY_MONITORJMX_LISTEN}. */
    public String variableOf(Key key) {
        return environmentPrefix + key.keyName().replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** Whether a variable claims to set one of these keys. */
    boolean claims(String variable) {
        return variable.startsWith(environmentPrefix)
                && !foreignVariables.contains(variable)
                && !SERVICE_LINK
                        .matcher(variable.substring(environmentPrefix.length()))
                        .matches();
    }

    /** The name of the setting a variable sets; under a pattern key, in lower case with dots for underscores. */
    Optional<String> nameOfVariable(String variable) {
        Optional<String> exact = keys.stream()
                .filter(key -> !key.pattern() && variableOf(key).equals(variable))
                .map(Key::keyName)
                .findFirst();
        String dotted =
                variable.substring(environmentPrefix.length()).replace('_', '.').toLowerCase(Locale.ROOT);
        return exact.or(() -> find(dotted).filter(Key::pattern).map(key -> dotted));
    }

    /** What to say to who set a variable that sets no key; the prefix they all have makes none of them nearer. */
    String adviceOnVariable(String variable) {
        List<String> names = keys.stream()
                .filter(key -> !key.pattern())
                .map(key -> withoutPrefix(variableOf(key)))
                .toList();
        return Nearest.to(withoutPrefix(variable), names)
                .map(nearest -> "the nearest variable is " + environmentPrefix + nearest)
                .orElse(listed());
    }

    private String withoutPrefix(String variable) {
        return variable.substring(environmentPrefix.length());
    }

    private static boolean takes(Key pattern, String lowerName) {
        String prefix = prefix(pattern).toLowerCase(Locale.ROOT);
        return lowerName.startsWith(prefix) && lowerName.length() > prefix.length();
    }

    static String prefix(Key pattern) {
        return pattern.keyName().substring(0, pattern.keyName().length() - 1);
    }
}
