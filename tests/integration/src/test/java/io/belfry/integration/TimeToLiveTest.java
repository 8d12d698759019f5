package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishTerms;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the time to live of messages, and the options about retained messages, over WebSocket and HTTP. */
final class TimeToLiveTest {
    private static final PublishTerms BRIEF = new PublishTerms(false, null, Map.of(), 200);

    private static List<String> history(Http http, String subject) {
        List<String> data = new ArrayList<>();
        JsonNode messages = http.get("/history?subject=" + subject).json().path("messages");
        messages.forEach(each -> data.add(each.path("op").asText() + " "
                + each.path("data").asText(each.path("reason").asText())));
        return data;
    }

    private static void passTime() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(300);
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aMessageIsNotDeliveredAfterItsTime(WireEncoding encoding) throws InterruptedException {
        try (TestServer server = TestServer.start();
                TestClient client = TestClient.open(server, encoding);
                Http http = Http.to(server.port())) {
            Position first = client.publish("/a", "first");
            client.publish("/a", "brief", BRIEF);
            client.publish("/a", "lasting", new PublishTerms(false, null, Map.of(), 60_000));
            assertThat(history(http, "/a")).containsExactly("message first", "message brief", "message lasting");
            passTime();
            client.resume("/a", first);
            Event.Gap gap = client.expect(Event.Gap.class);
            assertThat(gap.reason()).isEqualTo("message-expired");
            assertThat(gap.to().seq()).isEqualTo(first.seq() + 1);
            Event.Message last = client.expect(Event.Message.class);
            assertThat(last.data()).isEqualTo("lasting");
            assertThat(last.headers()).isEqualTo(Map.of("$ttl", "60000"));
            assertThat(history(http, "/a")).containsExactly("message first", "gap message-expired", "message lasting");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"200", "200ms"})
    void aPublishOverHttpHasATimeToLive(String ttl) throws InterruptedException {
        try (TestServer server = TestServer.start();
                Http http = Http.to(server.port())) {
            assertThat(http.post("/publish?subject=/a&retain&ttl=" + ttl, "x").status())
                    .isEqualTo(200);
            assertThat(history(http, "/a")).containsExactly("message x");
            passTime();
            assertThat(history(http, "/a")).isEmpty();
            try (TestClient late = TestClient.open(server, WireEncoding.BINARY)) {
                late.subscribe("/a");
                late.publish("/a", "live");
                assertThat(late.expect(Event.Message.class).data()).isEqualTo("live");
            }
        }
    }

    @Test
    void aBadTimeToLiveIsRefusedAndNothingIsPublished() {
        try (TestServer server = TestServer.start();
                Http http = Http.to(server.port());
                TestClient client = TestClient.open(server, WireEncoding.JSON)) {
            for (String bad : new String[] {"", "-1", "1d", "8761h", "x"}) {
                Http.Answer answer = http.post("/publish?subject=/a&ttl=" + bad, "x");
                assertThat(answer.status()).as(bad).isEqualTo(400);
                assertThat(answer.json().path("code").asText()).isEqualTo("bad-request");
            }
            client.send(1, "/a", "x", new PublishTerms(false, null, Map.of(), -5));
            assertThat(client.expect(Event.Failed.class).reason()).startsWith("ttl must be");
            assertThat(history(http, "/a")).isEmpty();
        }
    }

    @Test
    void aMessageOnDiskEndsAlthoughTheServerRestarts() throws Exception {
        String folder = java.nio.file.Files.createTempDirectory(TestMachine.target(), "ttl")
                .toString();
        String[] disk = {"History=disk", "History.Folder=" + folder};
        try (TestServer server = TestServer.start(disk);
                TestClient client = TestClient.open(server, WireEncoding.BINARY)) {
            client.publish("/a", "lasting", new PublishTerms(true, null, Map.of(), 60_000));
            client.publish("/b", "brief", new PublishTerms(true, null, Map.of(), 200));
        }
        passTime();
        try (TestServer server = TestServer.start(disk);
                Http http = Http.to(server.port());
                TestClient client = TestClient.open(server, WireEncoding.JSON)) {
            assertThat(history(http, "/a")).containsExactly("message lasting");
            assertThat(history(http, "/b")).isEmpty();
            client.ask("/b");
            client.expect(Event.Subscribed.class);
            client.subscribe("/a");
            assertThat(client.expect(Event.Message.class).subject()).isEqualTo("/a");
        }
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aSubjectMayRefuseOrRequireRetainedMessages(WireEncoding encoding) throws InterruptedException {
        try (TestServer server = TestServer.start(
                        "Subjects.1=/never retained=refused", "Subjects.2=/always retained=required retained-age=1s");
                TestClient client = TestClient.open(server, encoding)) {
            client.send(7, "/never", "x", new PublishTerms(true, null, Map.of()));
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("retain-denied");
            client.publish("/always", "kept");
            client.subscribe("/always");
            assertThat(client.expect(Event.Message.class).retained()).isTrue();
            client.unsubscribe("/always");
            TimeUnit.MILLISECONDS.sleep(1100);
            client.subscribe("/always");
            client.publish("/always", "next");
            assertThat(client.expect(Event.Message.class).data()).isEqualTo("next");
        }
    }
}
