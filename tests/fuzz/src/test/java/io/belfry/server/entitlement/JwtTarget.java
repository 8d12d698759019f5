package io.belfry.server.entitlement;

import io.belfry.server.config.JwtConfig;
import io.belfry.server.config.JwtKeyConfig;
import io.belfry.server.entitlement.Entitlement.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.NullMarked;

/**
 * Tokens. The first byte selects an arbitrary token, claims with a valid signature, or a key set. Nothing is thrown. An
 * accepted token has a signature by our key with its own algorithm, and has not expired.
 */
@NullMarked
public final class JwtTarget {
    private static final long NOW = 1_700_000_000_000L;
    private static final byte[] SECRET = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final String HEADER = base64("{\"alg\":\"HS256\"}".getBytes(StandardCharsets.US_ASCII));
    private static final JwtVerifier VERIFIER = verifier();

    private JwtTarget() {}

    private static JwtVerifier verifier() {
        KeyRing ring = new KeyRing();
        ring.replace(List.of(new VerificationKey(null, Algorithm.HS256, new SecretKeySpec(SECRET, "HMAC"))));
        JwtKeyConfig keys = new JwtKeyConfig(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                300_000,
                10_000);
        JwtConfig config = new JwtConfig(keys, Optional.empty(), Optional.empty(), 0, true);
        return new JwtVerifier(ring, config, () -> NOW);
    }

    /** Called by Jazzer and by the replay of the corpus for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(input, 1, input.length);
        switch (input[0] & 3) {
            case 0 -> token(new String(rest, StandardCharsets.UTF_8));
            case 1 -> keys(new String(rest, StandardCharsets.UTF_8));
            default -> {
                String signed = HEADER + "." + base64(rest);
                token(signed + "." + signature(signed));
            }
        }
    }

    private static void token(String token) {
        if (VERIFIER.verify(token) instanceof Answer.Accepted accepted) {
            int end = token.lastIndexOf('.');
            byte[] given = Base64.getUrlDecoder().decode(token.substring(end + 1));
            if (!Arrays.equals(given, Base64.getUrlDecoder().decode(signature(token.substring(0, end))))) {
                throw new AssertionError("a token without our signature was accepted");
            }
            check(accepted.principal());
        }
    }

    private static void check(Principal principal) {
        if (principal.expiresMillis() <= NOW) {
            throw new AssertionError("an expired token was accepted");
        }
        for (String subject : List.of("/a", "/a/b", "/a/*", "/**")) {
            byte[] bytes = subject.getBytes(StandardCharsets.UTF_8);
            principal.maySubscribe(bytes, NOW);
            principal.mayPublish(bytes, bytes.length, NOW);
        }
        if (!(principal.maySubscribe(new byte[] {'/', 'a'}, principal.expiresMillis()) instanceof Decision.Denied)) {
            throw new AssertionError("an expired token allows a subscription");
        }
    }

    private static void keys(String json) {
        try {
            List<VerificationKey> keys = new KeyReader(null).jwks("a set", json);
            if (keys.isEmpty()) {
                throw new AssertionError("an empty key set was accepted without an error");
            }
        } catch (IOException refused) {
            if (refused.toString().length() > 1000) {
                throw new AssertionError("the reason is too long", refused);
            }
        }
    }

    private static String signature(String signed) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET, "HMAC"));
            return base64(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
