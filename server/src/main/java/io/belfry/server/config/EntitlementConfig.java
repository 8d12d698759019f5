package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Settings of authentication and authorization. Immutable; its text never contains secrets. */
public record EntitlementConfig(
        Kind kind,
        Optional<String> allowToken,
        Optional<Path> allowTokenFile,
        long decideMillis,
        int waitingMax,
        long tokenMillis,
        long warnMillis,
        boolean tokenInQuery,
        JwtConfig jwt,
        CustomConfig custom,
        Optional<DecideConfig> decide) {
    /**
     * Settings of {@code Entitlement = Custom}. Immutable; its text never contains secrets.
     *
     * @param folder folder of the provider's jars
     * @param settings settings that are passed to the provider
     */
    public record CustomConfig(Optional<Path> folder, Map<String, String> settings) {
        public CustomConfig {
            settings = Map.copyOf(settings);
        }

        @Override
        public String toString() {
            return settings.keySet().toString();
        }
    }

    /** Kind of the entitlement provider, which authenticates and authorizes clients. */
    public enum Kind {
        NONE,
        BASIC,
        JWT,
        HTTP,
        CUSTOM
    }

    static final long MAX_WAITING = 1_000_000;
    static final long MAX_WARN_MILLIS = 86_400_000;

    /** Minimum length of a token; shorter tokens can be guessed. */
    static final int MIN_TOKEN_LENGTH = 8;

    public EntitlementConfig {
        allowToken.ifPresent(token -> requireToken("EntitlementAllowToken", token));
        if (allowToken.isPresent() && allowTokenFile.isPresent()) {
            throw new InvalidSetting(
                    "EntitlementAllowTokenFile", "conflicts with EntitlementAllowToken: set only one of them");
        }
        if (kind == Kind.JWT && jwt.keys().isEmpty()) {
            throw new InvalidSetting(
                    "Entitlement", "JWT needs a key: one of Jwt.Secret, Jwt.SecretFile, Jwt.PublicKey and Jwt.Jwks");
        }
    }

    /** Returns a copy with other settings for custom entitlement code from the same folder. */
    public EntitlementConfig withCustom(Map<String, String> next) {
        return new EntitlementConfig(
                kind,
                allowToken,
                allowTokenFile,
                decideMillis,
                waitingMax,
                tokenMillis,
                warnMillis,
                tokenInQuery,
                jwt,
                new CustomConfig(custom.folder(), next),
                decide);
    }

    /** Checks that a token has the form {@code b64token} of RFC 6750, as in "Authorization: Bearer". */
    public static String requireToken(String key, String token) {
        if (token.length() < MIN_TOKEN_LENGTH || !token.matches("[A-Za-z0-9._~+/-]+=*")) {
            throw new InvalidSetting(
                    key, "must be " + MIN_TOKEN_LENGTH + " or more of the characters A-Z a-z 0-9 . _ ~ + / -");
        }
        return token;
    }

    @Override
    public String toString() {
        return "EntitlementConfig[kind=" + kind + ", allowToken=" + Secrets.shown(allowToken) + ", jwt=" + jwt
                + ", custom=" + custom + "]";
    }
}
