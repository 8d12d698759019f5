package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the users of sessions over sockets: their permissions, their limit, and what the monitor shows of them. */
final class UsersTest {
    private static final String[] JWT = {
        "Entitlement=JWT",
        "Jwt.Secret=" + Jwts.SECRET,
        "Monitor=HTTP",
        "MonitorHTTP.Listen=127.0.0.1:0",
        "MonitorHTTP.Authentication=false"
    };
    private static final String OWN = "{\"all\":[\"/users/{user}/**\"]}";

    private static TestServer server(String... more) {
        return TestServer.start(Stream.of(JWT, more).flatMap(Stream::of).toArray(String[]::new));
    }

    private static String token(String user) {
        return Jwts.hs256("{\"sub\":\"" + user + "\"," + Jwts.claims(60, OWN).substring(1));
    }

    private static String bearer(String user) {
        return "Authorization: Bearer " + token(user);
    }

    private static long users(TestServer server) {
        return server.stats().at("/counters/users").asLong();
    }

    @ParameterizedTest
    @EnumSource
    void aUserHasTheSubjectsOfItsName(WireEncoding encoding) {
        try (TestServer server = server();
                TestClient ada = TestClient.open(server, encoding, bearer("ada"));
                TestClient bob = TestClient.open(server, encoding)) {
            ada.subscribe("/users/ada/**");
            ada.publish("/users/ada/inbox", "x");
            assertThat(ada.data(1)).containsExactly("x");
            bob.connect(token("bob"));
            bob.expect(Event.Connected.class);
            bob.ask("/users/ada/inbox");
            assertThat(bob.expect(Event.Failed.class).code()).isEqualTo("subscribe-denied");
            bob.ask("/users/{user}/inbox");
            assertThat(bob.expect(Event.Failed.class).code()).isEqualTo("subscribe-denied");
            bob.subscribe("/users/bob/**");
            Await.until("the users are counted", () -> users(server) == 2);
            bob.connect(token("ada"));
            // The lane of the user answers the connect, so the end of the subscription may be reported before.
            List<Event> both = List.of(bob.next(), bob.next());
            assertThat(both).hasAtLeastOneElementOfType(Event.Connected.class);
            assertThat(both).contains(new Event.Ended("/users/bob/**", "subscribe-denied"));
            Await.until("both sessions have one user", () -> users(server) == 1);
        }
    }

    /** With BenchmarkMode the sessions are on the event loops that accepted them, so most likely on both. */
    @Test
    void aPublishRateCoversAllSessionsAndCallsOfAUser() {
        try (TestServer server = server("Limit.PublishRatePerUser=20", "BenchmarkMode=true");
                Http http = Http.to(server.port());
                TestClient bob = TestClient.open(server, WireEncoding.JSON, bearer("bob"))) {
            List<TestClient> ada = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                ada.add(TestClient.open(server, WireEncoding.values()[i % 2], bearer("ada")));
            }
            long begin = System.nanoTime();
            int accepted = 0;
            for (int i = 0; i < 10; i++) {
                for (TestClient each : ada) {
                    each.send("/users/ada/a", "x");
                    if (each.next() instanceof Event.Failed failed) {
                        assertThat(failed.code()).isEqualTo("user-publish-rate");
                        assertThat(failed.afterMillis()).isBetween(1L, 50L);
                    } else {
                        accepted++;
                    }
                }
                Http.Answer answer = http.post("/publish?subject=/users/ada/a", "x", bearer("ada"));
                if (answer.status() != 200) {
                    assertThat(answer.status()).isEqualTo(429);
                    assertThat(answer.code()).isEqualTo("user-publish-rate");
                } else {
                    accepted++;
                }
            }
            double seconds = (System.nanoTime() - begin) / 1e9;
            assertThat(accepted).isBetween(20, (int) (20 * (1 + seconds)) + 1);
            bob.publish("/users/bob/a", "x");
            server.reload("Limit.PublishRatePerUser=0");
            ada.getFirst().awaitReload();
            for (int i = 0; i < 30; i++) {
                ada.getFirst().publish("/users/ada/a", "x");
            }
            ada.forEach(TestClient::close);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCommandRateCoversAllSessionsOfAUser(WireEncoding encoding) {
        try (TestServer server = server("Limit.CommandRatePerUser=10", "BenchmarkMode=true");
                TestClient one = TestClient.open(server, encoding, bearer("ada"));
                TestClient two = TestClient.open(server, encoding, bearer("ada"));
                TestClient nobody = TestClient.open(server, encoding)) {
            List<Event> answers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                for (TestClient each : List.of(one, two)) {
                    each.ping(i);
                    answers.add(each.next());
                }
                nobody.ping(i);
                assertThat(nobody.next()).isInstanceOf(Event.Pong.class);
            }
            assertThat(answers).filteredOn(Event.Pong.class::isInstance).hasSizeGreaterThanOrEqualTo(10);
            assertThat(answers).filteredOn(Event.Failed.class::isInstance).allSatisfy(error -> {
                assertThat(((Event.Failed) error).code()).isEqualTo("command-rate");
                assertThat(((Event.Failed) error).reason()).contains("of the user");
                assertThat(((Event.Failed) error).afterMillis()).isBetween(1L, 100L);
            });
        }
    }

    @Test
    void aTokenWhoseNameWouldWidenItsPermissionsIsRefused() {
        try (TestServer server = server()) {
            for (String name : new String[] {"*", "**", "ada/secrets", "$node"}) {
                Http.Answer refused = SocketFrames.ask(server.port(), bearer(name));
                assertThat(refused.status()).isEqualTo(401);
                assertThat(refused.json().path("reason").asText()).contains("cannot be a segment of a subject");
            }
            Http.Answer nobody =
                    SocketFrames.ask(server.port(), "Authorization: Bearer " + Jwts.hs256(Jwts.claims(60, OWN)));
            assertThat(nobody.json().path("reason").asText()).contains("needs a user");
            assertThat(users(server)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theNewestSessionsOfAUserStay(WireEncoding encoding) {
        try (TestServer server = server("Limit.SessionsPerUser=2");
                TestClient other = TestClient.open(server, encoding, bearer("bob"));
                TestClient first = TestClient.open(server, encoding, bearer("ada"));
                TestClient second = TestClient.open(server, encoding, bearer("ada"))) {
            second.subscribe("/users/ada/x");
            try (TestClient third = TestClient.open(server, encoding)) {
                third.connect(token("ada"));
                third.expect(Event.Connected.class);
                Event.Closed closed = first.expect(Event.Closed.class);
                assertThat(closed.code()).isEqualTo(Code.USER_REPLACED.closeCode());
                assertThat(closed.reason()).startsWith("user-replaced: ");
                third.publish("/users/ada/x", "still there");
                assertThat(second.data(1)).containsExactly("still there");
                other.subscribe("/users/bob/x");
                Await.until(
                        "the replacement is counted",
                        () -> server.stats().at("/closes/user-replaced").asInt() == 1 && users(server) == 2);
            }
        }
    }

    @Test
    void aSessionBeyondTheLimitIsRefusedBeforeItsCommands() {
        try (TestServer server = server("Limit.SessionsPerUser=1", "Limit.SessionsPerUser.Policy=refuse")) {
            try (TestClient first = TestClient.open(server, WireEncoding.JSON, bearer("ada"));
                    TestClient second = TestClient.open(server, WireEncoding.BINARY, bearer("ada"))) {
                second.send("/users/ada/x", "too much");
                Event.Closed closed = second.expect(Event.Closed.class);
                assertThat(closed.code()).isEqualTo(Code.TOO_MANY_OF_USER.closeCode());
                assertThat(closed.reason()).startsWith("too-many-of-user: ");
                assertThat(first.publish("/users/ada/x", "first").seq()).isEqualTo(1);
            }
            Await.until("the user has left", () -> users(server) == 0);
            try (TestClient again = TestClient.open(server, WireEncoding.JSON, bearer("ada"))) {
                again.subscribe("/users/ada/x");
            }
        }
    }

    @Test
    void aStreamCountsAndACallDoesNot() {
        try (TestServer server = server("Limit.SessionsPerUser=1");
                Http calls = Http.to(server.port());
                TestClient session = TestClient.open(server, WireEncoding.JSON, bearer("ada"))) {
            session.subscribe("/users/ada/x");
            assertThat(calls.post("/publish?subject=/users/ada/x", "1", bearer("ada"))
                            .status())
                    .isEqualTo(200);
            assertThat(session.data(1)).containsExactly("1");
            try (RawConnection stream = RawConnection.to(server.port())) {
                stream.send("GET /subscribe?subject=/users/ada/x HTTP/1.1\r\nHost: localhost\r\n" + bearer("ada")
                        + "\r\n\r\n");
                assertThat(session.expect(Event.Closed.class).code()).isEqualTo(Code.USER_REPLACED.closeCode());
            }
        }
    }

    @Test
    void theSubjectOfACertificateIsAUser() {
        SelfSigned own = SelfSigned.make();
        SelfSigned ada = SelfSigned.make("CN=ada,O=Example", "-keyalg", "EC");
        String[] settings = own.settings(
                "Entitlement=None",
                "Tls.ClientCertificates=want",
                "Tls.ClientAuthorities=" + ada.certificate(),
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false");
        try (TestServer server = TestServer.start(settings);
                TestClient anonymous = TestClient.open(server, WireEncoding.JSON);
                TestClient known = TestClient.over(
                        RawConnection.encrypted(SelfSigned.client(ada, own), server.encryptedPort()),
                        WireEncoding.JSON)) {
            known.subscribe("/a");
            anonymous.subscribe("/a");
            Await.until("one session has a user", () -> users(server) == 1);
            try (Http monitor = Http.to(server.monitorHttpPort())) {
                Http.Answer sessions = monitor.get("/console/api/sessions?search=CN=ada");
                assertThat(sessions.json().at("/sessions/0/user").asText()).isEqualTo("CN=ada,O=Example");
                assertThat(sessions.json().path("matching").asInt()).isEqualTo(1);
            }
        }
    }
}
