package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that streams and polls of patterns resume at a position of patterns. */
final class PatternResumeOverHttpTest {
    private static final String EVENTS = "text/event-stream";
    private static final String LINES = "application/x-ndjson";

    private static TestServer server;

    private TestClient publisher;
    private String folder;
    private int published;

    @BeforeAll
    static void start() {
        server = TestServer.start("CacheSize=1000");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open(TestInfo test) {
        folder = "/" + test.getTestMethod().orElseThrow().getName() + System.nanoTime();
        publisher = TestClient.open(server, WireEncoding.BINARY);
        published = 0;
    }

    @AfterEach
    void close() {
        publisher.close();
    }

    /** Publishes the next numbers, on four subjects in turn. */
    private void publish(int count) {
        for (int i = 0; i < count; i++) {
            int number = ++published;
            publisher.publish(folder + "/" + number % 4, Integer.toString(number));
        }
    }

    private static List<String> numbers(int from, int to) {
        List<String> numbers = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            numbers.add(Integer.toString(i));
        }
        return numbers;
    }

    /** A stream as its client sees it. Owner: the test's thread. */
    private static final class Stream implements AutoCloseable {
        private final Http http;
        private final Http.LineSource lines;
        private final boolean events;
        private String id = "";

        /** The text after which the client resumes: the last id, or the last {@code at} of a stream without ids. */
        private String from;

        Stream(TestServer of, String accept, String subjects, String from) {
            http = Http.to(of.port());
            events = accept.equals(EVENTS);
            this.from = from;
            String header = events && !from.isEmpty() ? "Last-Event-ID: " + from : "X-None: -";
            String query = !events && !from.isEmpty() ? "&from=" + from : "";
            String target = "/subscribe?" + subjects + query;
            assertThat(http.stream(target, "Accept: " + accept, header).status())
                    .isEqualTo(200);
            lines = http.lines();
        }

        JsonNode next() {
            id = "";
            for (String line = lines.next(); ; line = lines.next()) {
                if (line.startsWith("id:")) {
                    id = line.substring("id:".length()).strip();
                    from = id;
                }
                String json = line.startsWith("data: ") ? line.substring("data: ".length()) : line;
                if (json.startsWith("{")) {
                    JsonNode event = Http.json(json);
                    from = events ? from : event.path("at").asText(from);
                    return event;
                }
            }
        }

        JsonNode await(String op) {
            JsonNode event = next();
            while (!event.path("op").asText().equals(op)) {
                event = next();
            }
            return event;
        }

        /** Returns the data and types of the next messages. */
        List<String> data(int count, String type) {
            List<String> data = new ArrayList<>();
            while (data.size() < count) {
                JsonNode message = await("message");
                assertThat(message.path("type").asText("live"))
                        .as("%s", message)
                        .isEqualTo(type);
                data.add(message.path("data").asText());
            }
            return data;
        }

        @Override
        public void close() {
            http.raw().reset();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {EVENTS, LINES})
    void aStreamOfAPatternThatWasCutResumesAlsoOnNewSubjects(String accept) {
        String subjects = "subject=" + folder + "/*";
        String from;
        try (Stream stream = new Stream(server, accept, subjects, "")) {
            JsonNode subscribed = stream.await("subscribed");
            assertThat(subscribed.path("recovery").asText()).isEqualTo("none");
            assertThat(subscribed.path("at").asText()).isNotEmpty().isEqualTo(stream.from);
            publish(2);
            assertThat(stream.data(2, "live")).containsExactlyInAnyOrderElementsOf(numbers(1, 2));
            assertThat(stream.id).as("the id of a message").isEmpty();
            from = stream.from;
        }
        publish(6);
        try (Stream stream = new Stream(server, accept, subjects, from)) {
            assertThat(stream.data(8, "recovered")).containsExactlyInAnyOrderElementsOf(numbers(1, 8));
            JsonNode subscribed = stream.next();
            assertThat(subscribed.path("recovery").asText()).isEqualTo("complete");
            assertThat(stream.from).isEqualTo(subscribed.path("at").asText()).isNotEqualTo(from);
            publish(1);
            assertThat(stream.data(1, "live")).containsExactly("9");
            from = stream.from;
        }
        publish(1);
        try (Stream stream = new Stream(server, accept, subjects, from)) {
            assertThat(stream.data(2, "recovered")).containsExactlyInAnyOrder("9", "10");
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {EVENTS, LINES})
    void thePositionOfAStreamMovesWithItsMessages(String accept) {
        String subjects = "subject=" + folder + "/*";
        String from;
        try (Stream stream = new Stream(server, accept, subjects, "")) {
            stream.await("subscribed");
            publish(5);
            stream.data(5, "live");
            JsonNode position = stream.await("position");
            assertThat(stream.from).isEqualTo(position.path("at").asText());
            from = stream.from;
        }
        publish(2);
        try (Stream stream = new Stream(server, accept, subjects, from)) {
            assertThat(stream.data(2, "recovered")).containsExactlyInAnyOrder("6", "7");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {EVENTS, LINES})
    void severalPatternsHaveOnePosition(String accept) {
        String subjects = "subject=" + folder + "/a/*&subject=" + folder + "/b/*";
        String from;
        try (Stream stream = new Stream(server, accept, subjects, "")) {
            JsonNode first = stream.await("subscribed");
            assertThat(first.has("at")).as("%s", first).isFalse();
            assertThat(stream.from).isEmpty();
            JsonNode second = stream.await("subscribed");
            assertThat(second.path("at").asText()).isNotEmpty().isEqualTo(stream.from);
            from = stream.from;
        }
        publisher.publish(folder + "/a/new", "a");
        publisher.publish(folder + "/b/new", "b");
        try (Stream stream = new Stream(server, accept, subjects, from)) {
            assertThat(stream.data(2, "recovered")).containsExactlyInAnyOrder("a", "b");
        }
    }

    @Test
    void theIdOfNamesAndPatternsEndsWithThePositionOfThePatterns() {
        String subjects = "subject=" + folder + "/name&subject=" + folder + "/a/*&subject=" + folder + "/other";
        String from;
        try (Stream stream = new Stream(server, EVENTS, subjects, "")) {
            for (int i = 0; i < 3; i++) {
                stream.await("subscribed");
            }
            publisher.publish(folder + "/name", "1");
            assertThat(stream.data(1, "live")).containsExactly("1");
            from = stream.from;
        }
        assertThat(from).matches("[0-9]+:1,[0-9]+:0,[A-Za-z0-9_-]+");
        publisher.publish(folder + "/a/new", "a");
        publisher.publish(folder + "/name", "2");
        publisher.publish(folder + "/other", "3");
        try (Stream stream = new Stream(server, EVENTS, subjects, from)) {
            assertThat(stream.data(3, "recovered")).containsExactlyInAnyOrder("a", "2", "3");
        }
        String onlyOfPatterns = from.substring(from.lastIndexOf(',') + 1);
        for (String list : List.of(",," + onlyOfPatterns, onlyOfPatterns)) {
            try (Stream stream = new Stream(server, LINES, subjects, list)) {
                assertThat(stream.data(1, "recovered")).containsExactly("a");
            }
        }
    }

    @Test
    void aRefusedNameDoesNotWithholdThePositionOfThePatterns() {
        try (TestServer narrow = TestServer.start("Limit.SubjectsPerSession=2");
                Stream stream = new Stream(narrow, EVENTS, "subject=/a&subject=/p/*&subject=/b", "")) {
            List<String> ops = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                ops.add(stream.next().path("op").asText());
            }
            assertThat(ops).containsExactlyInAnyOrder("subscribed", "subscribed", "error");
            assertThat(stream.from).matches("[0-9]+:0,,[A-Za-z0-9_-]+");
        }
    }

    @Test
    void aPositionThatIsNoneIsRefused() {
        try (Http http = Http.to(server.port())) {
            for (String from : List.of("7", "7:1", "AQ==", "7:1,AQAB", "AQAB,7:1", "a".repeat(1025), ",AQAB")) {
                assertThat(http.get("/subscribe?subject=/p/*", "Last-Event-ID: " + from)
                                .code())
                        .as(from)
                        .isEqualTo("bad-position");
                assertThat(http.get("/subscribe?subject=/p/*&from=" + from).code())
                        .as(from)
                        .isEqualTo("bad-position");
            }
            assertThat(http.get("/subscribe?subject=/p&from=AQAB").code()).isEqualTo("bad-position");
            assertThat(http.get("/subscribe?subject=/p&subject=/p/*&from=AQAB,7:1")
                            .code())
                    .isEqualTo("bad-position");
            assertThat(http.get("/poll?subject=/p/*&from=7").code()).isEqualTo("bad-position");
            assertThat(http.get("/poll?subject=/p&from=AQAB").code()).isEqualTo("bad-position");
            assertThat(http.get("/poll?subject=/p/*&subject=/q/*&from=AQAB").code())
                    .isEqualTo("bad-position");
            assertThat(http.get("/poll?subject=/p/*&from=7:1").code()).isEqualTo("wildcard-not-allowed");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {EVENTS, LINES})
    void aPositionOfAnotherHistoryIsOneGap(String accept) {
        publisher.retain(folder + "/1", "retained", null);
        try (Stream stream = new Stream(server, accept, "subject=" + folder + "/*", "AQAB")) {
            JsonNode gap = stream.next();
            assertThat(gap.path("op").asText()).isEqualTo("gap");
            assertThat(gap.path("reason").asText()).isEqualTo("epoch-changed");
            assertThat(stream.id).isEmpty();
            assertThat(stream.data(1, "snapshot")).containsExactly("retained");
            assertThat(stream.await("subscribed").path("recovery").asText()).isEqualTo("gap");
            assertThat(stream.from).isNotEqualTo("AQAB");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {EVENTS, LINES})
    void withoutStoredMessagesAPatternHasNoPosition(String accept) {
        try (TestServer forgetful = TestServer.start("CacheSize=0");
                Http http = Http.to(forgetful.port())) {
            try (Stream stream = new Stream(forgetful, accept, "subject=/p/*", "")) {
                assertThat(stream.await("subscribed").has("at")).isFalse();
                assertThat(stream.from).isEmpty();
            }
            try (Stream stream = new Stream(forgetful, accept, "subject=/p/*", "AQAB")) {
                assertThat(stream.await("gap").path("reason").asText()).isEqualTo("epoch-changed");
                assertThat(stream.await("subscribed").has("at")).isFalse();
            }
            JsonNode first = http.get("/poll?subject=/p/*&wait=0").json();
            assertThat(first.has("at")).as("%s", first).isFalse();
            JsonNode polled = http.get("/poll?subject=/p/*&from=AQAB").json();
            assertThat(polled.at("/messages/0/reason").asText()).isEqualTo("epoch-changed");
            assertThat(polled.has("at")).as("%s", polled).isFalse();
        }
    }

    @Test
    void pollsOfAPatternReceiveEachMessageOnce() throws InterruptedException {
        String target = "/poll?subject=" + folder + "/*&from=";
        try (Http http = Http.to(server.port())) {
            JsonNode first = http.get("/poll?wait=0&subject=" + folder + "/*").json();
            assertThat(first.path("messages")).isEmpty();
            String at = first.path("at").asText();
            int total = 300;
            Thread publishing = Thread.ofVirtual().start(() -> publish(total));
            List<String> received = new ArrayList<>();
            while (received.size() < total) {
                JsonNode answer = http.get(target + at).json();
                assertThat(answer.path("messages")).isNotEmpty();
                answer.path("messages").forEach(each -> {
                    assertThat(each.path("type").asText()).as("%s", each).isEqualTo("recovered");
                    received.add(each.path("data").asText());
                });
                at = answer.path("at").asText();
            }
            publishing.join();
            assertThat(received).containsExactlyInAnyOrderElementsOf(numbers(1, total));
            JsonNode last = http.get(target + at + "&wait=10").json();
            assertThat(last.path("messages")).isEmpty();
            assertThat(last.path("at").asText()).isNotEmpty();
        }
    }

    @Test
    void anAnswerToAPollOfAPatternIsShortAndTheNextOneContinues() {
        String target = "/poll?subject=" + folder + "/*&wait=10&from=";
        try (Http http = Http.to(server.port())) {
            String at = http.get("/poll?wait=0&subject=" + folder + "/*")
                    .json()
                    .path("at")
                    .asText();
            String large = "x".repeat(60_000);
            int count = 300;
            for (int i = 0; i < count; i++) {
                publisher.publish(folder + "/large", large);
            }
            Set<Long> seqs = new HashSet<>();
            for (int polls = 0; polls < count && seqs.size() < count; polls++) {
                JsonNode answer = http.get(target + at).json();
                assertThat(answer.path("messages")).hasSizeBetween(1, 20);
                for (JsonNode message : answer.path("messages")) {
                    assertThat(message.path("op").asText()).isEqualTo("message");
                    seqs.add(message.path("seq").asLong());
                }
                at = answer.path("at").asText();
            }
            assertThat(seqs).hasSize(count);
        }
    }

    @Test
    void aPollWithoutAPositionGivesThatBeforeItsMessages() throws InterruptedException {
        String target = "/poll?subject=" + folder + "/*";
        AtomicBoolean answered = new AtomicBoolean();
        Thread publishing = Thread.ofVirtual().start(() -> {
            while (!answered.get()) {
                publish(1);
            }
        });
        try (Http http = Http.to(server.port())) {
            JsonNode answer = http.get(target).json();
            answered.set(true);
            publishing.join();
            assertThat(answer.at("/messages/0/op").asText()).isEqualTo("message");
            assertThat(answer.at("/messages/0").has("type")).as("%s", answer).isFalse();
            JsonNode next =
                    http.get(target + "&from=" + answer.path("at").asText()).json();
            assertThat(next.path("messages").findValuesAsText("data"))
                    .containsAll(answer.path("messages").findValuesAsText("data"));
            JsonNode last = http.get(target + "&wait=10&from=" + next.path("at").asText())
                    .json();
            assertThat(last.path("messages")).as("%s", last).isEmpty();
        }
    }
}
