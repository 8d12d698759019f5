package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a server that listens on several addresses, IPv6 among them. */
final class ListenersTest {
    @Test
    void messagesReachClientsOfAllAddresses() {
        try (TestServer server = TestServer.start("Listen=127.0.0.1:0, [::1]:0, 127.0.0.{2..3}:0")) {
            List<Integer> ports = server.ports();
            assertThat(ports).hasSize(4).doesNotContain(0);
            try (TestClient four = TestClient.over(RawConnection.to("127.0.0.1", ports.get(0)), WireEncoding.JSON);
                    TestClient six = TestClient.over(RawConnection.to("::1", ports.get(1)), WireEncoding.BINARY);
                    TestClient other =
                            TestClient.over(RawConnection.to("127.0.0.3", ports.get(3)), WireEncoding.JSON)) {
                six.subscribe("/across");
                other.subscribe("/*");
                four.publish("/across", "hello");
                assertThat(six.data(1)).containsExactly("hello");
                assertThat(other.data(1)).containsExactly("hello");
            }
        }
    }

    @Test
    void theAnyAddressAcceptsIpv4AndIpv6() {
        try (TestServer server = TestServer.start("Listen=*:0");
                TestClient four = TestClient.over(RawConnection.to("127.0.0.1", server.port()), WireEncoding.JSON);
                TestClient six = TestClient.over(RawConnection.to("::1", server.port()), WireEncoding.JSON)) {
            six.subscribe("/a");
            four.publish("/a", "hello");
            assertThat(six.data(1)).containsExactly("hello");
        }
    }

    @Test
    void loopbackPublishesWithoutATokenOverIpv4AndIpv6() {
        try (TestServer server = TestServer.start("Listen=[::1]:0");
                TestClient six = TestClient.over(RawConnection.to("::1", server.port()), WireEncoding.JSON)) {
            assertThat(six.publish("/a", "x").seq()).isPositive();
        }
    }

    @Test
    void jdkSocketsServeClientsToo() {
        try (TestServer server = TestServer.start("X.Native.Io=false");
                TestClient publisher = TestClient.open(server, WireEncoding.BINARY);
                TestClient subscriber = TestClient.open(server, WireEncoding.JSON)) {
            subscriber.subscribe("/nio");
            for (int i = 0; i < 100; i++) {
                publisher.publish("/nio", Integer.toString(i));
            }
            assertThat(subscriber.data(100)).startsWith("0", "1").endsWith("98", "99");
        }
    }

    @Test
    void aMegabyteOfPipelinedPublishesIsAnsweredInOrder() {
        int count = 1500;
        String padding = "p".repeat(1000);
        try (TestServer server = TestServer.start("Limit.PublishRate=0", "CacheSize=2000");
                TestClient publisher = TestClient.open(server, WireEncoding.BINARY);
                TestClient subscriber = TestClient.open(server, WireEncoding.BINARY)) {
            subscriber.subscribe("/pipeline");
            Thread.ofVirtual().start(() -> {
                for (int i = 0; i < count; i++) {
                    publisher.frames().raw().send(publisher.publicationFrame(i, "/pipeline", i + " " + padding));
                }
            });
            long first = -1;
            for (int i = 0; i < count; i++) {
                Event.Published answer = publisher.expect(Event.Published.class);
                first = first < 0 ? answer.at().seq() : first;
                assertThat(answer.id()).isEqualTo(i);
                assertThat(answer.at().seq()).isEqualTo(first + i);
                assertThat(subscriber.expect(Event.Message.class).data()).startsWith(i + " ");
            }
        }
    }

    @Test
    void pipelinedHttpRequestsAreAnsweredInOrder() {
        int count = 2000;
        try (TestServer server = TestServer.start("Limit.PublishRate=0", "CacheSize=5000");
                Http http = Http.to(server.port())) {
            byte[] body = "b".repeat(700).getBytes(StandardCharsets.US_ASCII);
            String publish =
                    Http.text("POST", "/publish?subject=/pipeline/http", new String(body, StandardCharsets.US_ASCII));
            Thread.ofVirtual().start(() -> {
                for (int i = 0; i < count; i++) {
                    http.raw().send(publish);
                }
            });
            long first = -1;
            for (int i = 0; i < count; i++) {
                Http.Answer answer = http.answer();
                assertThat(answer.status()).isEqualTo(200);
                long seq = answer.json().path("seq").asLong();
                first = first < 0 ? seq : first;
                assertThat(seq).isEqualTo(first + i);
            }
        }
    }
}
