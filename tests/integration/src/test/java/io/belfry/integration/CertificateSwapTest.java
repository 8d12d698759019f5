package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

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
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Certificates that are replaced while messages flow. {@code -Dbelfry.swaps=N} says how often, each with a reload of the
 * configuration behind it.
 */
@Tag("slow")
final class CertificateSwapTest {
    private static final int SWAPS = Integer.getInteger("belfry.swaps", 100);
    private static final int SUBSCRIBERS = 4;
    private static final String SUBJECT = "/swap";

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

    private ServerProcess start(String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        all.add("Tls.CheckInterval=20 ms");
        return ServerProcess.start(inForce.settings(all.toArray(String[]::new)));
    }

    /** The certificate that a new client is shown; a session that it resumed would show an old one. */
    private String shown(ServerProcess server) {
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
    @ValueSource(strings = {"openssl", "jdk"})
    void nobodyIsDisconnectedAndNothingIsLost(String provider) throws Exception {
        // Threads of their own: the JDK's pool for such tasks has one on a small machine, and these wait.
        try (ServerProcess server = start("Tls.Provider=" + provider, "CacheSize=1000000");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<List<String>>> heard = new ArrayList<>();
            for (int i = 0; i < SUBSCRIBERS; i++) {
                Client subscriber =
                        Client.over(RawConnection.encrypted(client, server.encryptedPort()), Encoding.BINARY);
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

    private List<String> publish(ServerProcess server, AtomicBoolean swapped) {
        List<String> sent = new ArrayList<>();
        try (Client publisher = Client.over(RawConnection.encrypted(client, server.encryptedPort()), Encoding.BINARY)) {
            while (!swapped.get()) {
                sent.add(Integer.toString(sent.size()));
                publisher.publish(SUBJECT, sent.getLast());
            }
            publisher.publish(SUBJECT, "end");
        }
        return sent;
    }

    private static List<String> untilTheEnd(Client subscriber) {
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
    void aBrokenPairLeavesTheOldOneInForceAndIsSpokenOfOnce() throws Exception {
        try (ServerProcess server = start()) {
            assertThat(shown(server)).isEqualTo("first");
            Path half = Files.writeString(inForce.key().resolveSibling("half"), "-----BEGIN PRIVATE KEY-----\nMIG");
            SelfSigned.copy(half, inForce.key());
            Await.until("the server speaks of it", () -> server.logText().contains("holds no private key"));
            server.reload("LogLevel=INFO");
            assertThat(shown(server)).isEqualTo("first");
            assertThat(server.logText().split("holds no private key", -1)).hasSize(2);
            second.replace(inForce);
            Await.until("the second certificate is shown", () -> shown(server).equals("second"));
        }
    }
}
