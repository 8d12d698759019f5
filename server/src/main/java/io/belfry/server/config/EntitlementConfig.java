package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.Optional;

/** Who may do what. Immutable; the token is never shown. */
public record EntitlementConfig(Kind kind, Optional<String> allowToken) {
    /** Who decides. */
    public enum Kind {
        NONE,
        BASIC,
        JWT,
        CUSTOM
    }

    /** Shorter ones can be guessed by trying. */
    static final int MIN_TOKEN_LENGTH = 8;

    public EntitlementConfig {
        allowToken.ifPresent(EntitlementConfig::requireToken);
    }

    // RFC 6750, b64token: what can stand behind "Authorization: Bearer".
    private static void requireToken(String token) {
        if (token.length() < MIN_TOKEN_LENGTH || !token.matches("[A-Za-z0-9._~+/-]+=*")) {
            throw new InvalidSetting(
                    "EntitlementAllowToken",
                    "must be " + MIN_TOKEN_LENGTH + " or more of the characters A-Z a-z 0-9 . _ ~ + / -");
        }
    }

    @Override
    public String toString() {
        return "EntitlementConfig[kind=" + kind + ", allowToken=" + Secrets.shown(allowToken) + "]";
    }
}
