package io.belfry.integration;

import static io.belfry.integration.ApiCalls.ALL;
import static io.belfry.integration.ApiCalls.assertRefused;
import static io.belfry.integration.ApiCalls.post;
import static io.belfry.integration.ApiCalls.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.cluster.Ports;
import io.belfry.protocol.Code;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests calls of the server API on several nodes of one machine, of which one is killed. */
@Tag("slow")
final class ApiOnAllNodesTest {
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final Path keys = ApiCalls.keys();
    private final List<Integer> ports;

    ApiOnAllNodesTest() throws IOException {
        ports = Ports.free(NAMES.size());
    }

    private String[] settings(int node) {
        return new String[] {
            "NodeName=" + NAMES.get(node),
            "Api.Listen=127.0.0.1:" + ports.get(node),
            "Api.KeyFile=" + keys,
            "Api.CallTime=2s",
            "Api.Nodes=a=127.0.0.1:" + ports.get(0) + ",b=127.0.0.1:" + ports.get(1) + ",c=127.0.0.1:" + ports.get(2),
            "Entitlement=JWT",
            "Jwt.Secret=" + Jwts.SECRET
        };
    }

    private static TestClient client(TestServer server, String user) {
        TestClient client = TestClient.open(server, WireEncoding.JSON, "Authorization: Bearer " + token(user, ""));
        client.subscribe("/a");
        return client;
    }

    private static JsonNode call(Http api, String path, String body) {
        Http.Answer answer = post(api, path, body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each ->
                texts.add(each.isTextual() ? each.asText() : each.path("node").asText()));
        return texts;
    }

    private static Set<String> allSessions(Http api, String parameters, Set<String> failed) {
        Set<String> names = new HashSet<>();
        String after = "";
        do {
            JsonNode page =
                    api.get("/v1/sessions?limit=2" + parameters + after, ALL).json();
            assertThat(page.path("scope").asText()).isEqualTo("nodes");
            page.path("sessions")
                    .forEach(each -> names.add(each.path("node").asText() + " "
                            + each.path("session").asText()));
            failed.addAll(texts(page.path("failed")));
            after = page.has("next") ? "&after=" + page.path("next").asText() : "";
        } while (!after.isEmpty());
        return names;
    }

    @Tag("complete")
    @Test
    void callsActOnAllNodesAndNameTheOneThatDoesNotAnswer() {
        try (ServerInJvm a = ServerInJvm.start(settings(0));
                ServerInJvm b = ServerInJvm.start(settings(1));
                ServerProcess c = ServerProcess.startWatched(settings(2));
                Http api = Http.to(ports.get(0));
                TestClient one = client(a, "ada");
                TestClient two = client(b, "ada");
                TestClient three = client(c, "ada");
                TestClient other = client(b, "bob")) {
            Set<String> failed = new HashSet<>();
            Set<String> sessions = allSessions(api, "", failed);
            assertThat(sessions).hasSize(4);
            assertThat(sessions).filteredOn(name -> name.startsWith("b ")).hasSize(2);
            assertThat(allSessions(api, "&user=ada", failed)).hasSize(3);
            assertThat(failed).isEmpty();
            String elsewhere = sessions.stream()
                    .filter(name -> name.startsWith("c "))
                    .findFirst()
                    .orElseThrow()
                    .substring(2);
            assertThat(api.get("/v1/sessions/" + elsewhere, ALL)
                            .json()
                            .path("node")
                            .asText())
                    .isEqualTo("c");
            JsonNode ended = call(api, "/v1/unsubscribe", "{\"user\":\"ada\",\"subjects\":[\"/a\"]}");
            assertThat(ended.path("unsubscribed").asInt()).isEqualTo(3);
            assertThat(texts(ended.path("answered"))).containsExactly("a", "b", "c");
            for (TestClient each : List.of(one, two, three)) {
                assertThat(each.await(Event.Ended.class).subject()).isEqualTo("/a");
            }
            assertRefused(api.get("/v1/sessions/nobody", ALL), Code.NOT_FOUND);
            c.kill();
            killed(api, one, two, other, failed);
        }
    }

    private static void killed(Http api, TestClient one, TestClient two, TestClient other, Set<String> failed) {
        assertThat(allSessions(api, "", failed)).hasSize(3);
        assertThat(failed).containsExactly("c");
        assertRefused(api.get("/v1/sessions/nobody", ALL), Code.NODE_UNREACHABLE);
        JsonNode done = call(api, "/v1/disconnect", "{\"user\":\"ada\"}");
        assertThat(done.path("scope").asText()).isEqualTo("nodes");
        assertThat(done.path("disconnected").asInt()).isEqualTo(2);
        assertThat(texts(done.path("answered"))).containsExactly("a", "b");
        assertThat(done.at("/failed/0/node").asText()).isEqualTo("c");
        assertThat(done.at("/failed/0/code").asText()).isEqualTo("node-unreachable");
        assertThat(one.await(Event.Closed.class).code()).isEqualTo(4014);
        assertThat(two.await(Event.Closed.class).code()).isEqualTo(4014);
        long until = System.currentTimeMillis() + 60_000;
        JsonNode revoked = call(api, "/v1/revoke", "{\"user\":\"bob\",\"until\":" + until + "}");
        assertThat(revoked.path("disconnected").asInt()).isEqualTo(1);
        assertThat(texts(revoked.path("failed"))).containsExactly("c");
        assertThat(other.await(Event.Closed.class).code()).isEqualTo(4012);
        assertRefused(post(api, "/v1/disconnect", "{}"), Code.BAD_REQUEST);
        assertRefused(post(api, "/v1/nodes/c/drain", "{}"), Code.NODE_UNREACHABLE);
        assertRefused(post(api, "/v1/nodes/d/drain", "{}"), Code.NOT_FOUND);
    }

    /** Returns the subscribers of each subject, in pages of two; fails if a subject occurs twice. */
    private static Map<String, Integer> allSubjects(Http api, Set<String> failed) {
        Map<String, Integer> subscribers = new TreeMap<>();
        String after = "";
        do {
            JsonNode page =
                    api.get("/v1/subjects?limit=2&pattern=/s/*" + after, ALL).json();
            page.path("subjects")
                    .forEach(each -> assertThat(subscribers.put(
                                    each.path("subject").asText(),
                                    each.path("subscribers").asInt()))
                            .isNull());
            failed.addAll(texts(page.path("failed")));
            after = page.has("next") ? "&after=" + page.path("next").asText() : "";
        } while (!after.isEmpty());
        return subscribers;
    }

    @Test
    void subjectsOfAllNodesAreListedOnceWithAllSubscribers() {
        try (ServerInJvm a = ServerInJvm.start(settings(0));
                ServerInJvm b = ServerInJvm.start(settings(1));
                Http atA = Http.to(ports.get(0));
                Http atB = Http.to(ports.get(1));
                TestClient one = client(a, "ada");
                TestClient two = client(b, "ada")) {
            Map<String, Integer> expected = new TreeMap<>();
            for (int i = 0; i < 12; i++) {
                if (i % 3 > 0) {
                    one.subscribe("/s/" + i);
                }
                if (i % 3 < 2) {
                    two.subscribe("/s/" + i);
                }
                expected.put("/s/" + i, i % 3 == 1 ? 2 : 1);
            }
            two.publish("/s/1", "x");
            for (Http api : List.of(atA, atB)) {
                Set<String> failed = new HashSet<>();
                assertThat(allSubjects(api, failed)).isEqualTo(expected);
                assertThat(failed).containsExactly("c");
                JsonNode named = call(api, "/v1/subjects", "{\"subjects\":[\"/s/1\",\"/s/2\",\"/none\"]}");
                assertThat(named.path("scope").asText()).isEqualTo("nodes");
                assertThat(named.path("subjects").findValuesAsText("subscribers"))
                        .containsExactlyInAnyOrder("2", "1");
                assertThat(texts(named.path("failed"))).containsExactly("c");
            }
            assertRefused(atA.get("/v1/subjects?after=b/x", ALL), Code.BAD_REQUEST);
            assertRefused(atA.get("/v1/subjects?after=0-1", ALL), Code.BAD_REQUEST);
        }
    }

    @Test
    void anotherNodeIsDrainedByItsName() {
        try (ServerInJvm a = ServerInJvm.start(settings(0));
                ServerInJvm b = ServerInJvm.start(settings(1));
                Http api = Http.to(ports.get(0));
                TestClient here = client(a, "ada");
                TestClient there = client(b, "ada")) {
            JsonNode drained = call(api, "/v1/nodes/b/drain", "{\"overMillis\":100}");
            assertThat(drained.path("node").asText()).isEqualTo("b");
            assertThat(there.await(Event.Closed.class).code()).isEqualTo(1001);
            here.publish("/a", "x");
            assertThat(here.data(1)).containsExactly("x");
        }
    }

    @Tag("complete")
    @Test
    void aListOfNodesWithAnotherNodeAtAnAddressIsReported() {
        String[] wrong = settings(1);
        wrong[0] = "NodeName=other";
        try (ServerInJvm a = ServerInJvm.start(settings(0));
                ServerInJvm b = ServerInJvm.start(wrong);
                Http api = Http.to(ports.get(0))) {
            JsonNode failed = call(api, "/v1/disconnect", "{\"user\":\"ada\"}").path("failed");
            assertThat(failed.path(0).path("reason").asText()).contains("is other; correct Api.Nodes");
            assertThat(a.logText()).contains("disconnect");
            assertThat(b.logText()).contains("disconnect");
        }
        assertThatThrownBy(() -> ServerInJvm.start("Api.Listen=127.0.0.1:0", "Api.KeyFile=" + keys, "Api.Nodes=a"))
                .hasMessageContaining("NAME=HOST:PORT");
    }
}
