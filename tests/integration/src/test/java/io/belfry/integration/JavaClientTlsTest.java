package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.BelfryClient;
import io.belfry.client.Message;
import io.belfry.client.Status;
import io.belfry.client.Transport;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the Java client over the server's TLS port. */
final class JavaClientTlsTest {
    private static TestServer server;
    private static SelfSigned certificate;

    private final List<Status> statuses = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void start() {
        certificate = SelfSigned.make();
        server = TestServer.start(certificate.settings());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private BelfryClient.Builder to(String host) {
        return BelfryClient.builder()
                .server("wss://" + host + ":" + server.encryptedPort())
                .listener(statuses::add);
    }

    @ParameterizedTest
    @EnumSource
    void messagesAreDeliveredThroughTls(Transport transport) {
        List<Message> heard = new CopyOnWriteArrayList<>();
        try (BelfryClient client = to("127.0.0.1")
                .transport(transport)
                .trust(certificate.certificate())
                .build()) {
            client.start();
            client.subscribe("/tls/" + transport, heard::add)
                    .ready()
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            byte[] large = new byte[60_000];
            client.publish("/tls/" + transport, "small")
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            client.publish("/tls/" + transport, large)
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            Await.until("two messages", () -> heard.size() == 2);
            assertThat(heard.get(1).data()).isEqualTo(large);
        }
    }

    @Test
    void anUntrustedCertificateIsReportedAndNothingIsSent() {
        try (BelfryClient client = to("127.0.0.1").build()) {
            client.start();
            Await.until("the connection failure", () -> failures() > 0);
            assertThat(statuses).noneMatch(Status.Connected.class::isInstance);
        }
    }

    @Test
    void aCertificateForAnotherNameIsNotTrusted() {
        try (BelfryClient client =
                to("localhost").trust(certificate.certificate()).build()) {
            client.start();
            Await.until("the connection failure", () -> failures() > 0);
            assertThat(statuses).noneMatch(Status.Connected.class::isInstance);
        }
    }

    private long failures() {
        return statuses.stream()
                .filter(status -> status instanceof Status.Disconnected gone
                        && gone.code().equals("tls-failed"))
                .count();
    }
}
