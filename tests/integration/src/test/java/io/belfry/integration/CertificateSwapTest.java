package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the replacement of certificates while messages flow. {@code -Dbelfry.swaps=N} sets the number of replacements.
 * A reload of the configuration follows each.
 */
@Tag("complete")
final class CertificateSwapTest {
    private static final int SWAPS = Integer.getInteger("belfry.swaps", TestScope.length(40, 25));
    private static final int SUBSCRIBERS = 4;
    private static final String SUBJECT = "/swap";

    /** Pause of the publisher: messages must flow during each swap, and more of them prove nothing. */
    private static final long PAUSE_NANOS = 2_000_000;

    private final SelfSigned first = SelfSigned.make("CN=first", "-keyalg", "EC");
    private final SelfSigned second = SelfSigned.make("CN=second", "-keyalg", "EC");
    private final TrustManager[] trust = SelfSigned.trust(first, second);
    private final SSLContext client = SelfSigned.client(null, trust);
    private final SelfSigned inForce = inForce();

    private SelfSigned inForce() {
        SelfSigned made = SelfSigned.make("CN=third", "-keyalg", "EC");
        first.replace(made);
        return made;
    }

    private TestServer start(String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        all.add("Tls.CheckInterval=20 ms");
        return TestServer.start(inForce.settings(all.toArray(String[]::new)));
    }

    /** Returns the certificate that a new client receives. A resumed TLS session would show an old one. */
    private String shown(TestServer server) {
        SSLContext stranger = SelfSigned.client(null, trust);
        try (SSLSocket socket =
                (SSLSocket) stranger.getSocketFactory().createSocket("127.0.0.1", server.encryptedPort())) {
            Certificate certificate = socket.getSession().getPeerCertificates()[0];
            return certificate.toString().contains("CN=first") ? "first" : "second";
        } catch (IOException e) {
            throw new AssertionError("a client was refused", e);
        }
    }

    @ParameterizedTest
    @MethodSource("providers")
    void certificateSwapsDisconnectNoClientAndLoseNoMessage(String provider) throws Exception {
        // These clients have threads of their own: on a small machine the JDK's pool has a single thread, and these
        // clients block.
        try (TestServer server = start("Tls.Provider=" + provider, "CacheSize=1000000");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<List<String>>> heard = new ArrayList<>();
            for (int i = 0; i < SUBSCRIBERS; i++) {
                TestClient subscriber =
                        TestClient.over(RawConnection.encrypted(client, server.encryptedPort()), WireEncoding.BINARY);
                subscriber.subscribe(SUBJECT);
                heard.add(CompletableFuture.supplyAsync(() -> untilTheEnd(subscriber), threads));
            }
            AtomicBoolean swapped = new AtomicBoolean();
            CompletableFuture<List<String>> sent =
                    CompletableFuture.supplyAsync(() -> publish(server, swapped), threads);
            for (int i = 0; i < SWAPS; i++) {
                SelfSigned next = i % 2 == 0 ? second : first;
                next.replace(inForce);
                String name = i % 2 == 0 ? "second" : "first";
                Await.until(
                        "the " + name + " certificate is shown",
                        () -> shown(server).equals(name));
                server.reload("SlowConsumer.Grace=" + (10 + i % 2) + " s");
            }
            swapped.set(true);
            assertThat(sent.join()).hasSizeGreaterThan(SWAPS);
            for (CompletableFuture<List<String>> each : heard) {
                assertThat(each.join()).isEqualTo(sent.join());
            }
        }
    }

    private List<String> publish(TestServer server, AtomicBoolean swapped) {
        List<String> sent = new ArrayList<>();
        try (TestClient publisher =
                TestClient.over(RawConnection.encrypted(client, server.encryptedPort()), WireEncoding.BINARY)) {
            while (!swapped.get()) {
                sent.add(Integer.toString(sent.size()));
                publisher.publish(SUBJECT, sent.getLast());
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            publisher.publish(SUBJECT, "end");
        }
        return sent;
    }

    private static List<String> untilTheEnd(TestClient subscriber) {
        List<String> heard = new ArrayList<>();
        try (subscriber) {
            for (String next = subscriber.expect(Event.Message.class).data();
                    !next.equals("end");
                    next = subscriber.expect(Event.Message.class).data()) {
                heard.add(next);
            }
        }
        return heard;
    }

    @Test
    void anInvalidPairKeepsTheOldOneAndIsLoggedOnce() throws Exception {
        try (TestServer server = start()) {
            assertThat(shown(server)).isEqualTo("first");
            Path half = Files.writeString(inForce.key().resolveSibling("half"), "-----BEGIN PRIVATE KEY-----\nMIG");
            SelfSigned.copy(half, inForce.key());
            Await.until(
                    "the server logs the invalid key", () -> server.logText().contains("holds no private key"));
            server.reload("LogLevel=INFO");
            assertThat(shown(server)).isEqualTo("first");
            assertThat(server.logText().split("holds no private key", -1)).hasSize(2);
            second.replace(inForce);
            Await.until("the second certificate is shown", () -> shown(server).equals("second"));
        }
    }

    static Stream<String> providers() {
        return TestScope.variants(List.of("openssl", "jdk"));
    }
}
