package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.client.api.ApiContent;
import io.belfry.client.api.ApiException;
import io.belfry.client.api.ApiOutcome;
import io.belfry.client.api.ApiPublish;
import io.belfry.client.api.ApiTarget;
import io.belfry.client.api.BelfryApi;
import io.belfry.client.api.DisconnectOptions;
import io.belfry.client.api.IncompleteCallException;
import io.belfry.client.api.RevokedTokens;
import io.belfry.client.api.SessionEntry;
import io.belfry.client.api.SessionFilter;
import io.belfry.client.api.StoredMessages;
import io.belfry.client.api.SubjectEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the clients of the server API for Java and Python on a running server; clients/js has the same test. */
final class ServerApiClientsTest {
    private static BelfryApi api(ServerInJvm server) {
        return new BelfryApi(URI.create("http://127.0.0.1:" + server.apiPort() + "/"), ApiCalls.KEY);
    }

    private static void assertCode(ThrowingCall call, String code) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }

    /** A call that may be refused. */
    private interface ThrowingCall {
        void run() throws IOException;
    }

    private static <T> List<T> all(Iterable<T> list) {
        List<T> found = new ArrayList<>();
        list.forEach(found::add);
        return found;
    }

    @Test
    void theJavaClientPublishesAndReads() throws IOException {
        try (ServerInJvm server = ApiCalls.server("CacheSize=1000")) {
            BelfryApi api = api(server);
            ApiContent once = ApiContent.of("\u00fc").withMsgId("m").withHeaders(Map.of("lang", "de"));
            ApiOutcome first = api.publish("/p/1", once);
            assertThat(first.seq()).isEqualTo(1);
            assertThat(api.publish("/p/1", once)).isEqualTo(first);
            assertCode(() -> api.publish("p", once), "bad-subject");
            List<ApiOutcome> outcomes = api.publishAll(List.of(
                    new ApiPublish(
                            "/p/1", ApiContent.of(new byte[] {(byte) 255}).retained()),
                    new ApiPublish("/p/*", ApiContent.of("?")),
                    new ApiPublish("/p/2", ApiContent.of("x"))));
            assertThat(outcomes).extracting(ApiOutcome::isAccepted).containsExactly(true, false, true);
            assertThat(outcomes.get(1).code()).isEqualTo("wildcard-not-allowed");
            assertThat(api.publishAll(List.of())).isEmpty();
            assertThat(api.broadcast(List.of("/p/2", "/p/3"), ApiContent.of("all")))
                    .extracting(ApiOutcome::seq)
                    .containsExactly(2L, 1L);
            StoredMessages stored = api.history("/p/1", null, 1);
            assertThat(new String(stored.messages().getFirst().data(), StandardCharsets.UTF_8))
                    .isEqualTo("\u00fc");
            assertThat(stored.messages().getFirst().headers()).isEqualTo(Map.of("lang", "de"));
            assertThat(stored.more()).isTrue();
            StoredMessages rest = api.history("/p/1", first.epoch() + ":1", 10);
            assertThat(rest.messages().getFirst().data()).containsExactly(255);
            assertThat(rest.messages().getFirst().retained()).isTrue();
            assertThat(all(api.subjects("/p/*")))
                    .extracting(SubjectEntry::subject)
                    .containsExactlyInAnyOrder("/p/1", "/p/2", "/p/3");
            assertThat(api.subjectsNamed(List.of("/p/2", "/none")))
                    .extracting(SubjectEntry::subject)
                    .containsExactly("/p/2");
            assertThat(api.removeHistory("/p/1").seq()).isEqualTo(3);
            assertThat(api.history("/p/1", null, 10).messages()).isEmpty();
        }
    }

    @Test
    void theJavaClientSetsTimesToLive() throws Exception {
        try (ServerInJvm server = ApiCalls.server("CacheSize=1000")) {
            BelfryApi api = api(server);
            api.publish("/p/4", ApiContent.of("brief").withTtl(Duration.ofMillis(20)));
            api.publish("/p/4", ApiContent.of("lasting").withTtl(Duration.ofMinutes(1)));
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(api.history("/p/4", null, 10).messages())
                    .extracting(each -> new String(each.data(), StandardCharsets.UTF_8))
                    .containsExactly("lasting");
            assertThat(ApiContent.of("x").withTtl(Duration.ofNanos(1)).ttlMillis())
                    .isEqualTo(1);
            assertThatThrownBy(() -> ApiContent.of("x").withTtl(Duration.ofDays(366)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theJavaClientActsOnSessions() throws IOException {
        try (ServerInJvm server = ApiCalls.server();
                TestClient ada = ApiCalls.client(server, ApiCalls.token("ada", ""), WireEncoding.JSON);
                TestClient bob = ApiCalls.client(server, ApiCalls.token("bob", ""), WireEncoding.BINARY)) {
            ada.subscribe("/s");
            bob.subscribe("/s");
            BelfryApi api = api(server);
            assertThat(all(api.sessions(SessionFilter.ALL))).hasSize(2);
            SessionEntry found = all(api.sessions(SessionFilter.ofUser("ada"))).getFirst();
            assertThat(found.state()).isEqualTo("ready");
            assertThat(api.session(found.session()).subjects()).containsExactly("/s");
            assertThat(api.subscribe(ApiTarget.session(found.session()), List.of("/s", "/by-server")))
                    .isEqualTo(1);
            assertThat(api.unsubscribe(ApiTarget.session(found.session()), List.of("/s", "/t")))
                    .isEqualTo(1);
            assertThat(api.disconnect(ApiTarget.user("ada"), new DisconnectOptions("bye", false, null)))
                    .isEqualTo(1);
            assertThat(ada.await(Event.Closed.class).reason()).isEqualTo("disconnected: bye");
            assertCode(() -> api.disconnect(ApiTarget.session(found.session()), DisconnectOptions.FINAL), "not-found");
            Instant until = Instant.now().plusSeconds(60);
            assertThat(api.revoke(RevokedTokens.ofToken("none", until))).isZero();
            assertThat(api.revoke(RevokedTokens.ofUser("bob", until))).isEqualTo(1);
            assertThat(bob.await(Event.Closed.class).code()).isEqualTo(4012);
            assertThat(api.nodes()).hasSize(1);
            assertThat(api.nodes().getFirst().ready()).isTrue();
            assertCode(() -> api.drain("other", Duration.ofSeconds(1)), "not-found");
            assertCode(
                    () -> new BelfryApi(URI.create("http://127.0.0.1:" + server.apiPort()), "wrong").nodes(),
                    "unauthorized");
        }
        assertThatThrownBy(() -> new BelfryApi(URI.create("127.0.0.1:4001"), "key"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theJavaClientReportsMissingNodes() throws IOException {
        try (ServerInJvm server = ApiCalls.server("NodeName=a", "Api.Nodes=a=127.0.0.1:1,gone=127.0.0.1:2")) {
            BelfryApi api = api(server);
            assertThatThrownBy(() -> api.disconnect(ApiTarget.user("ada"), DisconnectOptions.FINAL))
                    .isInstanceOfSatisfying(IncompleteCallException.class, incomplete -> {
                        assertThat(incomplete.done()).isZero();
                        assertThat(incomplete.missing().getFirst().node()).isEqualTo("gone");
                    });
            assertThatThrownBy(() -> all(api.sessions(SessionFilter.ALL)))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasCauseInstanceOf(IncompleteCallException.class);
            assertThatThrownBy(() -> all(api.subjects(null)))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasCauseInstanceOf(IncompleteCallException.class);
            assertCode(() -> api.subjectsNamed(List.of("/a")), "node-unreachable");
        }
    }

    @Test
    void thePythonClientDoesTheSame() {
        String python = PythonVenv.system(3, 11);
        try (ServerInJvm server =
                        ApiCalls.server("CacheSize=1000", "NodeName=a", "Api.Nodes=a=127.0.0.1:1,gone=127.0.0.1:2");
                TestClient ada = ApiCalls.client(server, ApiCalls.token("ada", ""), WireEncoding.JSON);
                TestClient bob = ApiCalls.client(server, ApiCalls.token("bob", ""), WireEncoding.BINARY)) {
            ada.subscribe("/s");
            bob.subscribe("/s");
            Map<String, String> given = Map.of(
                    "PYTHONPATH",
                    TestMachine.root().resolve("clients/python/src").toString(),
                    "PYTHONDONTWRITEBYTECODE",
                    "1",
                    "API_URL",
                    "http://127.0.0.1:" + server.apiPort(),
                    "API_KEY",
                    ApiCalls.KEY);
            String script = TestMachine.root()
                    .resolve("tests/integration/src/test/python/server_api.py")
                    .toString();
            try (Tool tool = Tool.start(TestMachine.target(), given, List.of(python, script))) {
                assertThat(tool.await().wellDone()).contains("all calls work");
            }
            assertThat(ada.await(Event.Closed.class).reason()).isEqualTo("disconnected: bye");
            assertThat(bob.await(Event.Closed.class).code()).isEqualTo(4012);
        }
    }
}
