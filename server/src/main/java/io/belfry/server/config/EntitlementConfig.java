package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Who may do what. Immutable; what is secret in it is never shown. */
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
        Optional<Path> folder,
        Map<String, String> custom) {
    /** Who decides. */
    public enum Kind {
        NONE,
        BASIC,
        JWT,
        CUSTOM
    }

    static final long MAX_WAITING = 1_000_000;
    static final long MAX_WARN_MILLIS = 86_400_000;

    /** Shorter ones can be guessed by trying. */
    static final int MIN_TOKEN_LENGTH = 8;

    public EntitlementConfig {
        custom = Map.copyOf(custom);
        allowToken.ifPresent(token -> requireToken("EntitlementAllowToken", token));
        if (allowToken.isPresent() && allowTokenFile.isPresent()) {
            throw new InvalidSetting(
                    "EntitlementAllowTokenFile", "goes without EntitlementAllowToken: write one of the two");
        }
        if (kind == Kind.JWT && !jwt.hasKeys()) {
            throw new InvalidSetting(
                    "Entitlement", "JWT needs a key: one of Jwt.Secret, Jwt.SecretFile, Jwt.PublicKey and Jwt.Jwks");
        }
    }

    /** The same with other settings for code of one's own. */
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
                folder,
                next);
    }

    /** RFC 6750, b64token: what can stand behind "Authorization: Bearer". */
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
                + ", custom=" + custom.keySet() + "]";
    }
}
