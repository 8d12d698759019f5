package io.belfry.server.callback;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.StringJoiner;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secrets that sign requests as Standard Webhooks defines: an HMAC-SHA256 of {@code id.timestamp.body} per secret. Two
 * secrets during a change give two signatures, and the receiver accepts either. Immutable; its text never shows a secret.
 */
public final class WebhookSecrets {
    private static final String ALGORITHM = "HmacSHA256";

    private final List<SecretKeySpec> keys;

    /** Creates the secrets from texts that {@code SignatureConfig} has checked. */
    public WebhookSecrets(List<String> texts) {
        List<SecretKeySpec> decoded = new ArrayList<>();
        for (String text : texts) {
            byte[] bytes = Base64.getDecoder().decode(text.substring(text.indexOf('_') + 1));
            decoded.add(new SecretKeySpec(bytes, ALGORITHM));
        }
        keys = List.copyOf(decoded);
    }

    /** Returns the value of {@code webhook-signature}: one signature per secret, separated by spaces. */
    public String signature(String id, long seconds, byte[] body) {
        StringJoiner signatures = new StringJoiner(" ");
        byte[] head = (id + "." + seconds + ".").getBytes(StandardCharsets.UTF_8);
        for (SecretKeySpec key : keys) {
            try {
                Mac mac = Mac.getInstance(ALGORITHM);
                mac.init(key);
                mac.update(head);
                signatures.add("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body)));
            } catch (GeneralSecurityException missing) {
                throw new IllegalStateException("every JDK has " + ALGORITHM, missing);
            }
        }
        return signatures.toString();
    }

    @Override
    public String toString() {
        return keys.size() + " secrets";
    }
}
