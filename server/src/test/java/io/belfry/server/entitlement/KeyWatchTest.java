package io.belfry.server.entitlement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.JwtKeyConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jose4j.jwk.EllipticCurveJsonWebKey;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.OctetKeyPairJsonWebKey;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.lang.JoseException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyWatchTest {
    private static final KeyPair RSA = Signer.rsa(2048);
    private static final KeyPair EC = Signer.pair("EC", "secp256r1");
    private static final KeyPair ED = Signer.pair("Ed25519", "");

    @TempDir
    private Path folder = Path.of("");

    private final KeyRing ring = new KeyRing();
    private final AtomicInteger failures = new AtomicInteger();

    private static JwtKeyConfig config(String... sets) {
        return ConfigLoader.load(
                        Optional.empty(),
                        Map.of(),
                        Stream.concat(Stream.of("Entitlement=JWT"), Stream.of(sets))
                                .toList())
                .entitlement()
                .jwt()
                .keys();
    }

    private KeyWatch started(String... sets) throws IOException {
        KeyWatch watch = new KeyWatch(ring, config(sets), failures::incrementAndGet);
        try {
            watch.start();
        } catch (IOException e) {
            watch.close();
            throw e;
        }
        return watch;
    }

    private static void await(String description, BooleanSupplier condition) {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(description).isLessThan(deadline);
            LockSupport.parkNanos(2_000_000);
        }
    }

    private boolean has(String algorithm) {
        return !ring.candidates(null, algorithm).isEmpty();
    }

    @Test
    void keysOfAllKindsAreReadAndAChangedFileIsReadAgain() throws IOException {
        Path file = folder.resolve("keys.pem");
        Files.writeString(file, "for people\n" + Signer.pem(RSA.getPublic()) + Signer.pem(EC.getPublic()));
        try (KeyWatch watch = started("Jwt.PublicKey=" + file)) {
            assertThat(watch).isNotNull();
            assertThat(has("RS256")).isTrue();
            assertThat(has("ES256")).isTrue();
            Files.writeString(file, "nothing any more");
            await("a counted failure", () -> failures.get() > 0);
            assertThat(has("ES256")).as("the previous keys stay valid").isTrue();
            Files.writeString(file, Signer.pem(ED.getPublic()));
            await("use of the new key", () -> has("EdDSA"));
            assertThat(has("ES256")).isFalse();
        }
    }

    @Test
    void aSecretFitsItsAlgorithmAndHasAMinimumLength() throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), "x".repeat(48) + "\n");
        started("Jwt.SecretFile=" + file, "Jwt.Algorithm=HS384").close();
        assertThat(has("HS384")).isTrue();
        assertThat(has("HS256")).isFalse();
        assertThatThrownBy(() -> started("Jwt.Secret=short-secret"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("32 bytes")
                .hasMessageNotContaining("short-secret");
        assertThatThrownBy(() -> started("Jwt.SecretFile=" + file, "Jwt.Algorithm=RS256"))
                .hasMessageContaining("does not fit RS256");
        assertThatThrownBy(() -> started("Jwt.PublicKey=" + folder.resolve("missing")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("missing");
    }

    private static String keySet(JsonWebKey... keys) {
        return new JsonWebKeySet(keys).toJson(JsonWebKey.OutputControlLevel.PUBLIC_ONLY);
    }

    private static PublicJsonWebKey jwk(KeyPair pair, String id) throws JoseException {
        PublicJsonWebKey key = PublicJsonWebKey.Factory.newPublicJwk(pair.getPublic());
        key.setKeyId(id);
        return key;
    }

    @Test
    void aKeySetDefinesTheUseOfEachKey() throws IOException, JoseException {
        PublicJsonWebKey rsa = jwk(RSA, "r");
        rsa.setAlgorithm("PS512");
        PublicJsonWebKey forSecrets = jwk(RSA, "e");
        forSecrets.setUse("enc");
        assertThat(rsa).isInstanceOf(RsaJsonWebKey.class);
        assertThat(jwk(EC, "c")).isInstanceOf(EllipticCurveJsonWebKey.class);
        assertThat(jwk(ED, "d")).isInstanceOf(OctetKeyPairJsonWebKey.class);
        Path file = Files.writeString(folder.resolve("jwks.json"), keySet(rsa, jwk(EC, "c"), jwk(ED, "d"), forSecrets));
        started("Jwt.Jwks=" + file).close();
        assertThat(ring.candidates("r", "PS512")).hasSize(1);
        assertThat(ring.candidates("r", "RS256")).isEmpty();
        assertThat(ring.candidates("c", "ES256")).hasSize(1);
        assertThat(ring.candidates("d", "EdDSA")).hasSize(1);
        assertThat(ring.candidates("e", "RS256")).isEmpty();
        for (String wrong : List.of("", "{", "{\"keys\":[]}", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0\"}]}")) {
            Files.writeString(file, wrong);
            assertThatThrownBy(() -> started("Jwt.Jwks=" + file))
                    .isInstanceOf(IOException.class)
                    .hasMessageNotContaining("c2VjcmV0");
        }
    }

    /** A server of keys that counts its requests. */
    private static final class KeyServer implements AutoCloseable {
        final AtomicReference<String> body = new AtomicReference<>("");
        final AtomicInteger requests = new AtomicInteger();
        private final HttpServer http;

        KeyServer() throws IOException {
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            http.createContext("/", exchange -> {
                // Before the response, so that the count includes every fetch whose keys are in use.
                requests.incrementAndGet();
                byte[] bytes = body.get().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
                exchange.close();
            });
            http.start();
        }

        String url() {
            return "http://127.0.0.1:" + http.getAddress().getPort() + "/";
        }

        @Override
        public void close() {
            http.stop(0);
        }
    }

    @Test
    void aTokenOfAnUnknownKeyTriggersAFetch() throws IOException, JoseException {
        AtomicLong now = new AtomicLong(1_700_000_000_000L);
        String claims = "{\"exp\":1900000000}";
        try (KeyServer keys = new KeyServer()) {
            keys.body.set(keySet(jwk(EC, "old")));
            Entitlement entitlement = Entitlements.start(
                    ConfigLoader.load(Optional.empty(), Map.of(), List.of("Entitlement=JWT", "Jwt.Jwks=" + keys.url()))
                            .entitlement(),
                    now::get,
                    failures::incrementAndGet);
            String old = Signer.sign(claims, "ES256", EC.getPrivate(), "old");
            await("the first fetch", () -> decided(entitlement, old) instanceof Entitlement.Answer.Accepted);

            KeyPair next = Signer.pair("EC", "secp256r1");
            keys.body.set(keySet(jwk(EC, "old"), jwk(next, "new")));
            String fresh = Signer.sign(claims, "ES256", next.getPrivate(), "new");
            assertThat(decided(entitlement, fresh)).isInstanceOf(Entitlement.Answer.Accepted.class);
            assertThat(keys.requests).hasValue(2);

            String unknown = Signer.sign(claims, "ES256", next.getPrivate(), "unknown");
            assertThat(decided(entitlement, unknown)).isInstanceOf(Entitlement.Answer.Rejected.class);
            assertThat(keys.requests)
                    .as("no second fetch within the minimum interval")
                    .hasValue(2);
            now.addAndGet(10_000);
            assertThat(decided(entitlement, unknown)).isInstanceOf(Entitlement.Answer.Rejected.class);
            assertThat(decided(entitlement, unknown)).isInstanceOf(Entitlement.Answer.Rejected.class);
            assertThat(keys.requests).hasValue(3);
            entitlement.close();
        }
    }

    private static Entitlement.Answer decided(Entitlement entitlement, String token) {
        CompletableFuture<Entitlement.Answer> answer = new CompletableFuture<>();
        entitlement.decide(new Entitlement.Credentials(token, true), answer::complete);
        return answer.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void aFailedFetchKeepsThePreviousKeys() throws IOException, JoseException {
        AtomicReference<String> body = new AtomicReference<>("no key set");
        AtomicInteger status = new AtomicInteger(200);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/keys", exchange -> {
            byte[] bytes = body.get().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            exchange.sendResponseHeaders(status.get(), bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/keys?key=hush";
        try (KeyWatch watch = started("Jwt.Jwks=" + url, "Jwt.RefreshTime=1s")) {
            assertThat(watch).isNotNull();
            await("a failure because of an invalid key set", () -> failures.get() > 0);
            assertThat(ring.isEmpty()).isTrue();
            body.set(keySet(jwk(EC, "c")));
            await("the fetched keys", () -> has("ES256"));
            for (int wrong : new int[] {404, 302}) {
                status.set(wrong);
                int before = failures.get();
                await("a failure because of the status", () -> failures.get() > before + 1);
                assertThat(has("ES256")).isTrue();
            }
            status.set(200);
            body.set(" ".repeat(2 << 20));
            int before = failures.get();
            await("a failure because of the size", () -> failures.get() > before + 1);
            server.stop(0);
            int answered = failures.get();
            await("a failure because of the stopped server", () -> failures.get() > answered + 1);
            assertThat(has("ES256")).isTrue();
        } finally {
            server.stop(0);
        }
    }
}
