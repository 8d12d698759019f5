package io.belfry.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Creates signed tokens with the JDK alone, and the key files with which a server verifies them. Immutable. */
public final class Jwts {
    public static final String SECRET = "a-secret-of-tests-that-is-32-bytes-long-or-more";

    private final KeyPair pair;

    Jwts() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            pair = generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns these claims and {@code exp}, this number of seconds from now; fractions are possible. */
    public static String claims(double seconds, String permissions) {
        return "{\"exp\":" + (System.currentTimeMillis() / 1000.0 + seconds) + ",\"permissions\":" + permissions + "}";
    }

    String es256(String claims) {
        try {
            Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(pair.getPrivate());
            String signed = base64("{\"alg\":\"ES256\"}") + "." + base64(claims);
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + base64(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public static String hs256(String claims) {
        return hs256(claims, SECRET);
    }

    static String hs256(String claims, String secret) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HMAC"));
            String signed = base64("{\"alg\":\"HS256\"}") + "." + base64(claims);
            return signed + "." + base64(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String base64(String text) {
        return base64(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    String pem() {
        return "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'})
                        .encodeToString(pair.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
    }

    static Path file(String content) {
        try {
            Path file = Files.createTempFile(TestMachine.target(), "key", ".txt");
            return Files.writeString(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
