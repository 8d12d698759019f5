package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A group for the TLS key exchange, for the key {@code Tls.Groups}. Immutable. */
public enum TlsGroup {
    X25519("X25519", ""),
    SECP256R1("secp256r1", "prime256v1 P-256"),
    SECP384R1("secp384r1", "P-384"),
    SECP521R1("secp521r1", "P-521"),
    X448("X448", "");

    /** The groups of Mozilla's intermediate profile, version 5.7, in its order. */
    public static final List<TlsGroup> INTERMEDIATE = List.of(X25519, SECP256R1, SECP384R1);

    private final String standardName;

    /** Alternative names, separated by spaces. */
    private final String otherNames;

    TlsGroup(String standardName, String otherNames) {
        this.standardName = standardName;
        this.otherNames = otherNames;
    }

    /** Returns the name in the IANA registry; the JDK accepts it in upper and lower case. */
    public String standardName() {
        return standardName;
    }

    /** Parses the words of {@code Tls.Groups}; throws if a word is not a group or if a group is repeated. */
    static List<TlsGroup> parse(String keyName, List<String> words) {
        List<TlsGroup> groups = words.stream().map(word -> parse(keyName, word)).toList();
        String written = String.join(", ", words);
        InvalidSetting.unless(!groups.isEmpty(), keyName, "none", "must name at least one of " + allowed());
        InvalidSetting.unless(
                groups.stream().distinct().count() == groups.size(), keyName, written, "contains a group twice");
        return groups;
    }

    private static TlsGroup parse(String keyName, String word) {
        return Arrays.stream(values())
                .filter(group -> group.isCalled(word))
                .findFirst()
                .orElseThrow(() ->
                        new InvalidSetting(keyName, word + " is not a known group; must be a list of " + allowed()));
    }

    private boolean isCalled(String word) {
        return standardName.equalsIgnoreCase(word)
                || Arrays.stream(otherNames.split(" ", -1)).anyMatch(word::equalsIgnoreCase);
    }

    private static String allowed() {
        return Arrays.stream(values()).map(TlsGroup::toString).collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
        return standardName;
    }
}
