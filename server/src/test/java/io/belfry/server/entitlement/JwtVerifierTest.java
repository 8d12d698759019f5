package io.belfry.server.entitlement;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.config.JwtConfig;
import io.belfry.server.config.JwtKeyConfig;
import io.belfry.server.entitlement.Entitlement.Answer;
import io.belfry.testsupport.TestScope;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class JwtVerifierTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final String CLAIMS =
            "{\"exp\":1700000060,\"permissions\":{\"sub\":[\"/a/*\"],\"pub\":[\"/b\"],\"all\":[\"/c/**\"]}}";
    private static final String SECRET = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    private static final KeyPair RSA = Signer.rsa(2048);

    private final List<VerificationKey> keys = new ArrayList<>();
    private long now = NOW;

    private void key(@Nullable String id, Algorithm algorithm, Key key) {
        keys.add(new VerificationKey(id, algorithm, key));
    }

    private Answer verify(String token) {
        return verify(token, config(null, null, 0, true));
    }

    private Answer verify(String token, JwtConfig config) {
        KeyRing ring = new KeyRing();
        ring.replace(keys);
        return new JwtVerifier(ring, config, () -> now).verify(token);
    }

    private static JwtConfig config(
            @Nullable String issuer, @Nullable String audience, long leewayMillis, boolean requireExpiry) {
        JwtKeyConfig keys = new JwtKeyConfig(
                Optional.of(SECRET),
                Optional.<Path>empty(),
                Optional.<Path>empty(),
                Optional.empty(),
                Optional.empty(),
                300_000,
                10_000);
        return new JwtConfig(
                keys, Optional.ofNullable(issuer), Optional.ofNullable(audience), leewayMillis, requireExpiry);
    }

    private static Principal principal(Answer answer) {
        assertThat(answer).isInstanceOf(Answer.Accepted.class);
        return ((Answer.Accepted) answer).principal();
    }

    private static void assertRejected(Answer answer, Code code, String reason) {
        assertThat(answer).isInstanceOfSatisfying(Answer.Rejected.class, no -> {
            assertThat(no.code()).isEqualTo(code);
            assertThat(no.reason()).contains(reason);
        });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @TestFactory
    Stream<DynamicTest> aTokenOfEachAlgorithmIsAcceptedUnlessItWasChanged() {
        return Stream.of(
                        "HS256 HMAC -",
                        "HS384 HMAC -",
                        "HS512 HMAC -",
                        "RS256 RSA 2048",
                        "RS384 RSA 2048",
                        // The creation of a longer key takes up to ten seconds of CPU.
                        "RS512 RSA " + TestScope.length(3072, 2048),
                        "PS256 RSA 2048",
                        "PS384 RSA 2048",
                        "PS512 RSA 2048",
                        "ES256 EC secp256r1",
                        "ES384 EC secp384r1",
                        "ES512 EC secp521r1",
                        "EdDSA Ed25519 -")
                .map(text -> DynamicTest.dynamicTest(text, () -> assertAccepts(text.split(" ", -1))));
    }

    private static void assertAccepts(String[] words) {
        new JwtVerifierTest().assertAccepts(words[0], words[1], words[2]);
    }

    private void assertAccepts(String name, String kind, String parameter) {
        Algorithm algorithm = java.util.Objects.requireNonNull(Algorithm.of(name));
        KeyPair pair = kind.equals("HMAC") ? null : Signer.pair(kind, parameter);
        Key signing = pair == null ? Signer.secret(SECRET) : pair.getPrivate();
        Key verifying = pair == null ? signing : pair.getPublic();
        assertThat(algorithm.problemWith(verifying)).isNull();
        key(null, algorithm, verifying);
        String token = Signer.sign(CLAIMS, name, signing, null);

        Principal may = principal(verify(token));
        assertThat(may.expiresMillis()).isEqualTo(NOW + 60_000);
        assertThat(may.maySubscribe(bytes("/a/x"), NOW)).isEqualTo(Decision.ALLOWED);
        assertThat(may.maySubscribe(bytes("/a/*"), NOW)).isEqualTo(Decision.ALLOWED);
        assertThat(may.maySubscribe(bytes("/a/**"), NOW)).isInstanceOf(Decision.Denied.class);
        assertThat(may.maySubscribe(bytes("/c/**"), NOW)).isEqualTo(Decision.ALLOWED);
        assertThat(may.maySubscribe(bytes("/b"), NOW)).isInstanceOf(Decision.Denied.class);
        assertThat(may.mayPublish(bytes("/b and more"), 2, NOW)).isEqualTo(Decision.ALLOWED);
        assertThat(may.mayPublish(bytes("/c/d/e"), 6, NOW)).isEqualTo(Decision.ALLOWED);
        assertThat(may.mayPublish(bytes("/a/x"), 4, NOW)).isInstanceOf(Decision.Denied.class);
        assertThat(may.mayPublish(bytes("/b"), 2, NOW + 60_000)).isEqualTo(Principal.TOKEN_EXPIRED);

        String[] parts = token.split("\\.", -1);
        String other = Signer.base64(CLAIMS.replace("/b", "/**"));
        assertRejected(verify(parts[0] + "." + other + "." + parts[2]), Code.UNAUTHORIZED, "signature");
        assertThat(verify(parts[0] + "." + parts[1] + ".")).isInstanceOf(Answer.Rejected.class);
    }

    @Test
    void theAlgorithmIsDeterminedByTheKey() {
        key(null, Algorithm.RS256, RSA.getPublic());
        for (String none : List.of("none", "None", "NONE", "")) {
            String header = "{\"alg\":\"" + none + "\"}";
            assertThat(verify(Signer.base64(header) + "." + Signer.base64(CLAIMS) + "."))
                    .isInstanceOf(Answer.Rejected.class);
        }
        // The public key is public: accepted as the secret of an HMAC, it would let anyone sign tokens.
        for (byte[] known : List.of(
                RSA.getPublic().getEncoded(),
                bytes(Signer.pem(RSA.getPublic())),
                bytes(Signer.pem(RSA.getPublic()).strip()))) {
            assertRejected(verify(Signer.forged("{\"alg\":\"HS256\"}", CLAIMS, known)), Code.UNAUTHORIZED, "no key");
        }
        assertRejected(verify(Signer.sign(CLAIMS, "RS512", RSA.getPrivate(), null)), Code.UNAUTHORIZED, "no key");
        // A key inside the token must be ignored.
        assertThat(verify(Signer.forged(
                        "{\"alg\":\"HS256\",\"jwk\":{\"kty\":\"oct\",\"k\":\"AAAA\"},\"jku\":\"http://127.0.0.1/\"}",
                        CLAIMS,
                        new byte[] {0, 0, 0})))
                .isInstanceOf(Answer.Rejected.class);
    }

    @Test
    void aKeyIdSelectsItsKey() {
        Key first = Signer.secret(SECRET);
        Key second = Signer.secret(SECRET.replace('0', 'x'));
        key("first", Algorithm.HS256, first);
        key("second", Algorithm.HS256, second);
        principal(verify(Signer.sign(CLAIMS, "HS256", second, "second")));
        principal(verify(Signer.sign(CLAIMS, "HS256", second, null)));
        assertRejected(verify(Signer.sign(CLAIMS, "HS256", second, "first")), Code.UNAUTHORIZED, "signature");
        assertRejected(verify(Signer.sign(CLAIMS, "HS256", second, "third")), Code.UNAUTHORIZED, "no key");
    }

    @Test
    void timesIssuerAndAudienceAreChecked() {
        key(null, Algorithm.HS256, Signer.secret(SECRET));
        String token = signed("{\"exp\":1700000060,\"nbf\":1700000010,\"iss\":\"me\",\"aud\":[\"you\",\"them\"]}");
        assertRejected(verify(token), Code.UNAUTHORIZED, "not valid yet");
        now = NOW + 10_000;
        principal(verify(token));
        principal(verify(token, config("me", "you", 0, true)));
        assertRejected(verify(token, config("other", null, 0, true)), Code.UNAUTHORIZED, "issuer");
        assertRejected(verify(token, config(null, "other", 0, true)), Code.UNAUTHORIZED, "audience");
        assertRejected(
                verify(signed("{\"exp\":1700000060}"), config(null, "you", 0, true)), Code.UNAUTHORIZED, "audience");
        now = NOW + 60_000;
        assertRejected(verify(token), Code.TOKEN_EXPIRED, "expired");
        assertThat(principal(verify(token, config(null, null, 5000, true))).expiresMillis())
                .isEqualTo(NOW + 65_000);
        assertRejected(verify(signed("{}")), Code.UNAUTHORIZED, "no exp");
        assertThat(principal(verify(signed("{}"), config(null, null, 0, false))).expiresMillis())
                .isEqualTo(Principal.NEVER);
        assertThat(principal(verify(signed("{\"exp\":9000000000000000}"))).expiresMillis())
                .isPositive();
    }

    @Test
    void onlyTheCanonicalEncodingIsAccepted() {
        key(null, Algorithm.HS256, Signer.secret(SECRET));
        String token = signed("{\"exp\":1700000060}");
        principal(verify(token));
        for (String noise : List.of("?", "=", " ", "\n", "+", "/", "\u00e9", "\0")) {
            for (int at : new int[] {0, 5, token.indexOf('.') + 3, token.length() - 5, token.length()}) {
                assertRejected(
                        verify(token.substring(0, at) + noise + token.substring(at)),
                        Code.UNAUTHORIZED,
                        "not a signed JWT");
            }
        }
        assertRejected(verify(token + "."), Code.UNAUTHORIZED, "not a signed JWT");
    }

    @Test
    void timesOutOfRangeAreClamped() {
        key(null, Algorithm.HS256, Signer.secret(SECRET));
        for (String far : List.of("9223372036854776", "9223372036854775807", "92233720368547758070", "1e300")) {
            assertThat(principal(verify(signed("{\"exp\":" + far + "}"))).expiresMillis())
                    .as(far)
                    .isEqualTo(Principal.NEVER);
            assertThat(principal(verify(signed("{\"exp\":" + far + "}"), config(null, null, 5000, true)))
                            .expiresMillis())
                    .as(far)
                    .isEqualTo(Principal.NEVER);
            assertRejected(verify(signed("{\"exp\":-" + far + "}")), Code.TOKEN_EXPIRED, "expired");
            assertRejected(
                    verify(signed("{\"exp\":1700000060,\"nbf\":" + far + "}")), Code.UNAUTHORIZED, "not valid yet");
            principal(verify(signed("{\"exp\":1700000060,\"nbf\":-" + far + "}"), config(null, null, 5000, true)));
        }
    }

    private static String signed(String claims) {
        return Signer.sign(claims, "HS256", Signer.secret(SECRET), null);
    }

    @Test
    void invalidPermissionsInvalidateTheToken() {
        key(null, Algorithm.HS256, Signer.secret(SECRET));
        for (String permissions : List.of(
                "[]",
                "\"/a\"",
                "{\"sub\":\"/a\"}",
                "{\"sub\":[1]}",
                "{\"sub\":[\"a\"]}",
                "{\"pub\":[\"/a/**/b\"]}",
                "{\"all\":[\"/$sys\"]}",
                "{\"system\":\"true\"}",
                "{\"all\":{}}")) {
            assertRejected(
                    verify(signed("{\"exp\":1700000060,\"permissions\":" + permissions + "}")),
                    Code.UNAUTHORIZED,
                    "permissions");
        }
    }

    @Test
    void aTokenWithoutPermissionsAllowsNothing() {
        key(null, Algorithm.HS256, Signer.secret(SECRET));
        Principal may = principal(verify(signed("{\"exp\":1700000060}")));
        assertThat(may.maySubscribe(bytes("/a"), NOW)).isInstanceOf(Decision.Denied.class);
        assertThat(may.mayPublish(bytes("/a"), 2, NOW)).isInstanceOf(Decision.Denied.class);
    }

    @Test
    void theClaimSystemAllowsSubjectsOfTheServer() {
        key(null, Algorithm.HS256, Signer.secret(SECRET));
        for (boolean system : new boolean[] {true, false}) {
            Principal may = principal(verify(
                    signed("{\"exp\":1700000060,\"permissions\":{\"all\":[\"/**\"],\"system\":" + system + "}}")));
            assertThat(may.maySubscribe(bytes("/$node/a/stats"), NOW).equals(Decision.ALLOWED))
                    .isEqualTo(system);
        }
    }

    @Test
    void aMalformedTokenIsRefusedWithoutQuotingIt() {
        key(null, Algorithm.HS256, Signer.secret(SECRET));
        for (String text : List.of(
                "",
                ".",
                "..",
                "....",
                "secret",
                "secret.secret.secret",
                Signer.base64("{\"alg\":\"HS256\",\"alg\":\"none\"}") + ".x.y",
                Signer.base64("[".repeat(3000)) + ".x.y",
                signed("{\"exp\":\"secret\"}"),
                signed("{\"exp\":1700000060,\"exp\":9700000060}"),
                signed("secret"),
                Signer.forged("{\"alg\":\"HS256\",\"crit\":[\"secret\"],\"secret\":1}", CLAIMS, bytes(SECRET)),
                "a".repeat(20_000))) {
            assertThat(verify(text)).isInstanceOfSatisfying(Answer.Rejected.class, no -> {
                assertThat(no.code()).isEqualTo(Code.UNAUTHORIZED);
                assertThat(no.reason()).doesNotContain("secret");
            });
        }
    }

    @Test
    void withoutFetchedKeysTheAnswerIsNotReady() {
        assertRejected(verify(signed(CLAIMS)), Code.NOT_READY, "not been fetched");
    }

    @Test
    void aWithdrawnKeyEndsTheRightsItGranted() {
        KeyRing ring = new KeyRing();
        key("a", Algorithm.HS256, Signer.secret(SECRET));
        ring.replace(keys);
        JwtVerifier verifier = new JwtVerifier(ring, config(null, null, 0, true), () -> now);
        Principal before = principal(verifier.verify(signed(CLAIMS)));
        // Reading the same key again withdraws nothing.
        ring.replace(List.of(new VerificationKey("a", Algorithm.HS256, Signer.secret(SECRET))));
        assertThat(before.isWithdrawn()).isFalse();
        ring.replace(List.of(new VerificationKey("b", Algorithm.RS256, RSA.getPublic())));
        assertThat(before.isWithdrawn()).isTrue();
        assertThat(before.mayPublish(bytes("/b"), 2, NOW)).isEqualTo(Principal.WITHDRAWN);
        assertRejected(verifier.verify(signed(CLAIMS)), Code.UNAUTHORIZED, "no key");
    }
}
