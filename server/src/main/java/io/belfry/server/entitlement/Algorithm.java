package io.belfry.server.entitlement;

import java.security.Key;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/** The signatures that are understood. A key is for one of them, whatever a token says. */
enum Algorithm {
    HS256("HS256", 256),
    HS384("HS384", 384),
    HS512("HS512", 512),
    RS256("RS256", 2048),
    RS384("RS384", 2048),
    RS512("RS512", 2048),
    PS256("PS256", 2048),
    PS384("PS384", 2048),
    PS512("PS512", 2048),
    ES256("ES256", 256),
    ES384("ES384", 384),
    ES512("ES512", 521),
    EDDSA("EdDSA", 0);

    private final String text;
    private final int bits;

    Algorithm(String text, int bits) {
        this.text = text;
        this.bits = bits;
    }

    /** The name in a token's header. */
    String text() {
        return text;
    }

    boolean isSymmetric() {
        return text.startsWith("HS");
    }

    /** What a key is for that does not say so itself, or null where it is for nothing we know. */
    static @Nullable Algorithm usualOf(Key key) {
        return switch (key) {
            case SecretKey secret -> HS256;
            case RSAKey rsa -> RS256;
            case ECKey ec ->
                switch (ec.getParams().getCurve().getField().getFieldSize()) {
                    case 256 -> ES256;
                    case 384 -> ES384;
                    case 521 -> ES512;
                    default -> null;
                };
            case EdECKey edwards -> EDDSA;
            default -> null;
        };
    }

    static @Nullable Algorithm of(@Nullable String text) {
        for (Algorithm each : values()) {
            if (each.text.equals(text)) {
                return each;
            }
        }
        return null;
    }

    /** Why a key is not for this algorithm, or null where it is. RFC 7518, sections 3.2, 3.3, 3.4. */
    @Nullable
    String problemWith(Key key) {
        return switch (key) {
            case SecretKey secret ->
                !isSymmetric()
                        ? "a secret is no key for " + text
                        : secret.getEncoded().length * 8 < bits
                                ? text + " needs a secret of " + bits / 8 + " bytes"
                                : null;
            case RSAKey rsa ->
                !text.startsWith("RS") && !text.startsWith("PS")
                        ? "an RSA key is no key for " + text
                        : rsa.getModulus().bitLength() < bits ? "an RSA key has 2048 bits or more" : null;
            case ECKey ec ->
                text.startsWith("ES") && ec.getParams().getCurve().getField().getFieldSize() == bits
                        ? null
                        : "this EC key is no key for " + text;
            case EdECKey edwards -> this == EDDSA ? null : "an EdDSA key is no key for " + text;
            default -> "a key of this kind is for nothing";
        };
    }
}
