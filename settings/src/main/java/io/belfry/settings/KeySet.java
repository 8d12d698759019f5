package io.belfry.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The keys of one program, found by name or by environment variable. Immutable. */
public final class KeySet {
    /**
     * Variables that Kubernetes sets in every container for a service whose name begins like our prefix; they are not
     * ours: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
     */
    private static final Pattern SERVICE_LINK =
            Pattern.compile("(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

    private final List<Key> keys;
    private final Map<String, Key> byLowerName = new LinkedHashMap<>();
    private final String environmentPrefix;
    private final Set<String> foreignVariables;
    private final String document;

    /**
     * Creates the set; the keys are listed in the given order.
     *
     * @param environmentPrefix prefix of the variables that set keys: {@code BELFRY_}
     * @param foreignVariables variables with this prefix that have another purpose: {@code BELFRY_JAVA_HOME}
     * @param document the file that lists all keys; errors about unknown keys refer to it
     */
    public KeySet(List<? extends Key> keys, String environmentPrefix, Set<String> foreignVariables, String document) {
        this.keys = List.copyOf(keys);
        this.environmentPrefix = environmentPrefix;
        this.foreignVariables = Set.copyOf(foreignVariables);
        this.document = document;
        this.keys.forEach(key -> byLowerName.put(key.keyName().toLowerCase(Locale.ROOT), key));
    }

    /** Returns all keys, in their order. */
    public List<Key> keys() {
        return keys;
    }

    /** Returns the key with this name, or the pattern key that matches the name. */
    public Optional<Key> find(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return Optional.ofNullable(byLowerName.get(lower))
                .filter(key -> !key.pattern())
                .or(() -> keys.stream()
                        .filter(key -> key.pattern() && takes(key, lower))
                        .findFirst());
    }

    /** Returns the advice for an unknown key name: the most similar key, or where all keys are listed. */
    String adviceOnName(String name) {
        return Nearest.to(name, keys.stream().map(Key::keyName).toList())
                .map(nearest -> "the most similar key is " + nearest)
                .orElse(listed());
    }

    private String listed() {
        return document + " lists all keys";
    }

    /**
     * Returns the environment variable that sets the key: {@code BELFRY_MONITORJMX_LISTEN} for {@code
     * MonitorJMX.Listen}.
     */
    public String variableOf(Key key) {
        return environmentPrefix + key.keyName().replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** Whether the variable has our prefix and is neither a foreign variable nor one of Kubernetes. */
    boolean claims(String variable) {
        return variable.startsWith(environmentPrefix)
                && !foreignVariables.contains(variable)
                && !SERVICE_LINK
                        .matcher(variable.substring(environmentPrefix.length()))
                        .matches();
    }

    /**
     * Returns the name of the setting that a variable sets. For a pattern key, underscores become dots and the name is
     * in lower case.
     */
    Optional<String> nameOfVariable(String variable) {
        Optional<String> exact = keys.stream()
                .filter(key -> !key.pattern() && variableOf(key).equals(variable))
                .map(Key::keyName)
                .findFirst();
        String dotted =
                variable.substring(environmentPrefix.length()).replace('_', '.').toLowerCase(Locale.ROOT);
        return exact.or(() -> find(dotted).filter(Key::pattern).map(key -> dotted));
    }

    /**
     * Returns the advice for an unknown variable. The common prefix is left out of the comparison, for it makes all
     * names similar.
     */
    String adviceOnVariable(String variable) {
        List<String> names = keys.stream()
                .filter(key -> !key.pattern())
                .map(key -> withoutPrefix(variableOf(key)))
                .toList();
        return Nearest.to(withoutPrefix(variable), names)
                .map(nearest -> "the most similar variable is " + environmentPrefix + nearest)
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
