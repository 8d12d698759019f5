package io.belfry.server.entitlement;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/** Creates keys, and tokens that are valid or forged. */
final class Signer {
    private static final Map<Integer, KeyPair> RSA = new ConcurrentHashMap<>();

    private Signer() {}

    static String sign(String claims, String algorithm, Key key, @Nullable String kid) {
        JsonWebSignature token = new JsonWebSignature();
        token.setPayload(claims);
        token.setAlgorithmHeaderValue(algorithm);
        token.setKey(key);
        if (kid != null) {
            token.setKeyIdHeaderValue(kid);
        }
        token.setDoKeyValidation(false);
        try {
            return token.getCompactSerialization();
        } catch (JoseException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static Key secret(String text) {
        return new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), "HMAC");
    }

    /** Creates a token with any header and claims, and an HMAC computed with any key bytes. */
    static String forged(String header, String claims, byte[] hmacKey) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(hmacKey, "HMAC"));
            String signed = base64(header) + "." + base64(claims);
            return signed + "."
                    + Base64.getUrlEncoder()
                            .withoutPadding()
                            .encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the RSA key of this size, which all tests of the JVM share: its creation takes seconds of CPU. */
    static KeyPair rsa(int bits) {
        return RSA.computeIfAbsent(bits, size -> generated("RSA", Integer.toString(size)));
    }

    static KeyPair pair(String kind, String parameter) {
        return kind.equals("RSA") ? rsa(Integer.parseInt(parameter)) : generated(kind, parameter);
    }

    private static KeyPair generated(String kind, String parameter) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(kind);
            switch (kind) {
                case "RSA" -> generator.initialize(Integer.parseInt(parameter));
                case "EC" -> generator.initialize(new ECGenParameterSpec(parameter));
                default -> {}
            }
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static String pem(Key key) {
        return "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
    }
}
