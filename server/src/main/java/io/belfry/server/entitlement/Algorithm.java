package io.belfry.server.entitlement;

import java.security.Key;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/** The supported signature algorithms. Each key has one algorithm, whatever a token names. */
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

    /** Returns the name used in a token's header. */
    String text() {
        return text;
    }

    boolean isSymmetric() {
        return text.startsWith("HS");
    }

    /** Returns the default algorithm of a key that does not name one, or null for an unsupported kind of key. */
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

    /** Returns why a key does not fit this algorithm, or null if it does. RFC 7518, sections 3.2, 3.3, 3.4. */
    @Nullable
    String problemWith(Key key) {
        return switch (key) {
            case SecretKey secret ->
                !isSymmetric()
                        ? "a secret does not fit " + text
                        : secret.getEncoded().length * 8 < bits
                                ? text + " needs a secret of " + bits / 8 + " bytes"
                                : null;
            case RSAKey rsa ->
                !text.startsWith("RS") && !text.startsWith("PS")
                        ? "an RSA key does not fit " + text
                        : rsa.getModulus().bitLength() < bits ? "an RSA key needs 2048 bits or more" : null;
            case ECKey ec ->
                text.startsWith("ES") && ec.getParams().getCurve().getField().getFieldSize() == bits
                        ? null
                        : "this EC key does not fit " + text;
            case EdECKey edwards -> this == EDDSA ? null : "an EdDSA key does not fit " + text;
            default -> "keys of this kind are not supported";
        };
    }
}
