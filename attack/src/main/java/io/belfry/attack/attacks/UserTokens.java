package io.belfry.attack.attacks;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs tokens of users with the secret of this run, which the attacked server knows instead of the operator's keys. Immutable. */
public record UserTokens(String secret) {
    /** Tokens are valid until this time, in seconds since 1970: longer than any run. */
    private static final long EXPIRES = 4_000_000_000L;

    private static final String ALGORITHM = "HmacSHA256";

    /** Returns a token that allows everything except the subjects of the server; the name needs no escapes in JSON. */
    public String token(String user) {
        String signed = base64("{\"alg\":\"HS256\"}") + "."
                + base64("{\"sub\":\"" + user + "\",\"exp\":" + EXPIRES + ",\"permissions\":{\"all\":[\"/**\"]}}");
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return signed + "." + base64(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, missing);
        }
    }

    private static String base64(String text) {
        return base64(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public String toString() {
        return "UserTokens[]";
    }
}
