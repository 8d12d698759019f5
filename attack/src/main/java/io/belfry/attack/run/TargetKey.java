package io.belfry.attack.run;

import io.belfry.settings.Key;
import io.belfry.settings.KeyDefinition;
import io.belfry.settings.KeySet;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.util.List;
import java.util.Set;

/**
 * The keys of the server that attacks depend on; the server itself checks all other keys. The values in effect come from
 * {@code bin/belfry check}, so a default here counts only before that. Immutable.
 */
// Every ValueType is a record of immutable parts, but the checker requires its own annotation on the interface.
@SuppressWarnings("ImmutableEnumChecker")
enum TargetKey implements Key {
    LISTEN("Listen", ValueType.text(), "*:8800"),
    LISTEN_ENCRYPTED("ListenEncrypted", ValueType.text(), "none"),
    CERTIFICATE("Certificate", ValueType.text(), ""),
    KEY_STORE("KeyStore", ValueType.text(), ""),
    PROXY_PROTOCOL("ProxyProtocol", ValueType.flag(), "false"),
    CLIENT_CERTIFICATES("Tls.ClientCertificates", ValueType.text(), "none"),
    COMPRESSION("Compression", ValueType.flag(), "off"),
    ENTITLEMENT("Entitlement", ValueType.text(), "Basic"),
    ALLOW_TOKEN("EntitlementAllowToken", ValueType.text(), ""),
    ALLOW_TOKEN_FILE("EntitlementAllowTokenFile", ValueType.text(), ""),
    EVENT_ENDPOINTS("Events.Endpoint.*", ValueType.text(), ""),
    EVENT_SUBJECT("Events.Subject", ValueType.text(), ""),
    SUBJECTS("Subjects.*", ValueType.text(), ""),
    EVENT_VACANT_TIME("Events.VacantTime", ValueType.time(TimeScale.S, 0, Long.MAX_VALUE), "5 s"),
    PRESENCE_LEAVE_TIME("Presence.LeaveTime", ValueType.time(TimeScale.S, 0, Long.MAX_VALUE), "5 s"),
    MAX_MESSAGE_SIZE("MaxMessageSize", ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE), "64 KB"),
    HANDSHAKE_TIME("Limit.HandshakeTime", ValueType.time(TimeScale.S, 0, Long.MAX_VALUE), "5 s"),
    SUBJECTS_PER_SESSION("Limit.SubjectsPerSession", ValueType.number(0, Integer.MAX_VALUE), "1000"),
    PUBLISH_RATE_PER_USER("Limit.PublishRatePerUser", ValueType.number(0, Integer.MAX_VALUE), "0"),
    COMMAND_RATE_PER_USER("Limit.CommandRatePerUser", ValueType.number(0, Integer.MAX_VALUE), "0");

    static final KeySet ALL = new KeySet(List.of(values()), "BELFRY_", Set.of(), "docs/configuration.md");

    private final KeyDefinition definition;

    TargetKey(String name, ValueType<?> type, String defaultText) {
        definition = KeyDefinition.of(name, type, defaultText.isEmpty() ? null : defaultText, "A key of the server.");
    }

    @Override
    public KeyDefinition definition() {
        return definition;
    }
}
