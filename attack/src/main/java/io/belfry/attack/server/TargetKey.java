package io.belfry.attack.server;

import io.belfry.settings.Key;
import io.belfry.settings.KeySet;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The server's keys that an attack must know, by name; whatever else is in the file is the server's own business. Values
 * in effect come from {@code bin/belfry check}, so the defaults here only stand in where a server has no such key.
 */
@SuppressWarnings("ImmutableEnumChecker") // A type of value is immutable; only Error Prone cannot see it.
enum TargetKey implements Key {
    LISTEN("Listen", ValueType.text(), "*:8800"),
    LISTEN_ENCRYPTED("ListenEncrypted", ValueType.text(), null),
    CERTIFICATE("Certificate", ValueType.text(), null),
    KEY_STORE("KeyStore", ValueType.text(), null),
    PROXY_PROTOCOL("ProxyProtocol", ValueType.flag(), "false"),
    CLIENT_CERTIFICATES("Tls.ClientCertificates", ValueType.text(), "none"),
    COMPRESSION("Compression", ValueType.flag(), "off"),
    ENTITLEMENT("Entitlement", ValueType.text(), "Basic"),
    ALLOW_TOKEN("EntitlementAllowToken", ValueType.text(), null),
    ALLOW_TOKEN_FILE("EntitlementAllowTokenFile", ValueType.text(), null),
    MAX_MESSAGE_SIZE("MaxMessageSize", ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE), "64 KB"),
    HANDSHAKE_TIME("Limit.HandshakeTime", ValueType.time(TimeScale.S, 0, Long.MAX_VALUE), "5 s"),
    SUBJECTS_PER_SESSION("Limit.SubjectsPerSession", ValueType.number(0, Integer.MAX_VALUE), "1000");

    private final String keyName;
    private final ValueType<?> type;
    private final Optional<String> defaultText;

    TargetKey(String keyName, ValueType<?> type, @Nullable String defaultText) {
        this.keyName = keyName;
        this.type = type;
        this.defaultText = Optional.ofNullable(defaultText);
    }

    static KeySet all() {
        return new KeySet(List.of(values()), "BELFRY_", Set.of(), "docs/configuration.md");
    }

    @Override
    public String keyName() {
        return keyName;
    }

    @Override
    public ValueType<?> type() {
        return type;
    }

    @Override
    public Optional<String> defaultText() {
        return defaultText;
    }

    @Override
    public String sentence() {
        return "A key of the server.";
    }
}
