package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.client.BelfryClient;
import io.belfry.client.Status;
import io.belfry.cluster.Brokers;
import io.belfry.cluster.KafkaProcess;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishTerms;
import io.belfry.protocol.Recovery;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests several nodes on one real broker: one order for all nodes, and clients that change their node. */
final class ClusterTest {
    private static final Duration OUTAGE_MAX = Duration.ofSeconds(10);
    private static Brokers brokers;
    private static ClusterNodes cluster;
    private static Topics topics;
    private static OtlpReceiver telemetry;
    private static TestServer a;
    private static TestServer b;

    @BeforeAll
    static void startCluster() throws IOException {
        brokers = ClusterNodes.startBrokers(1);
        cluster = ClusterNodes.on(brokers);
        topics = new Topics(brokers.addresses());
        topics.create("orders", 3);
        telemetry = OtlpReceiver.open();
        a = start("Otlp.Endpoint=" + telemetry.endpoint());
        b = start();
    }

    /** Starts a node in the JVM of the test, which costs a tenth of a process. */
    private static TestServer start(String... more) {
        return TestServer.start(settings(more));
    }

    private static String[] settings(String... more) {
        return cluster.settings(Stream.concat(
                        Stream.of("Kafka.Bridge=orders", "PubSubTightlyCoupled=true", "Kafka.PresenceTime=3s"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    @AfterAll
    static void stopCluster() {
        try {
            b.close();
            a.close();
        } finally {
            telemetry.close();
            brokers.close();
        }
    }

    @Tag("complete")
    @Test
    void aTracedPublishHasASpanForKafkasAcknowledgement() {
        try (Http http = Http.to(a.port())) {
            assertThat(http.post(
                                    "/publish?subject=/traced",
                                    "x",
                                    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                            .status())
                    .isEqualTo(200);
        }
        Await.until("both spans", () -> telemetry.spans().size() >= 2);
        Span call = span("POST /publish");
        Span written = span("kafka acknowledgement");
        assertThat(written.getTraceId()).isEqualTo(call.getTraceId());
        assertThat(written.getParentSpanId()).isEqualTo(call.getSpanId());
        assertThat(written.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_PRODUCER);
        assertThat(telemetry.spans()).hasSize(2);
    }

    private static Span span(String name) {
        return telemetry.spans().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void messagesOfAllNodesReachEveryNodeInOneOrder() {
        try (TestClient readerOfA = TestClient.open(a, WireEncoding.BINARY);
                TestClient readerOfB = TestClient.open(b, WireEncoding.JSON);
                TestClient toA = TestClient.open(a, WireEncoding.JSON);
                TestClient toB = TestClient.open(b, WireEncoding.BINARY)) {
            readerOfA.subscribe("/one");
            readerOfB.subscribe("/one");
            for (int i = 0; i < 50; i++) {
                toA.send("/one", "a" + i);
                toB.send("/one", "b" + i);
                // Messages of other subjects in the same partitions make holes between the seqs.
                toB.send("/other/" + i, "x");
            }
            List<Event.Message> atA = messages(readerOfA, 100);
            List<Event.Message> atB = messages(readerOfB, 100);
            assertThat(atA.stream().map(Event.Message::data))
                    .containsExactlyElementsOf(
                            atB.stream().map(Event.Message::data).toList());
            assertThat(atA.stream().map(Event.Message::at))
                    .containsExactlyElementsOf(
                            atB.stream().map(Event.Message::at).toList());
            assertThat(atA.stream().map(Event.Message::data).filter(data -> data.startsWith("a")))
                    .containsExactlyElementsOf(numbered("a", 50));
            assertThat(atA.stream().map(Event.Message::data).filter(data -> data.startsWith("b")))
                    .containsExactlyElementsOf(numbered("b", 50));
        }
    }

    private static List<String> numbered(String of, int count) {
        return IntStream.range(0, count).mapToObj(i -> of + i).toList();
    }

    private static List<Event.Message> messages(TestClient client, int count) {
        return Stream.generate(() -> client.expect(Event.Message.class))
                .limit(count)
                .toList();
    }

    @Test
    void aClientOfAnotherNodeResumesAtItsPosition() {
        try (TestClient first = TestClient.open(a, WireEncoding.JSON);
                TestClient publisher = TestClient.open(b, WireEncoding.JSON)) {
            Event.Subscribed at = first.subscribe("/resumed");
            List<Position> positions = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                positions.add(publisher.publish("/resumed", "m" + i));
                publisher.publish("/between/" + i, "x");
            }
            assertThat(first.data(20)).isEqualTo(numbered("m", 20));
            List<Position> starts = new ArrayList<>(positions);
            starts.addFirst(at.at());
            for (TestServer node : List.of(a, b)) {
                for (int had = 0; had <= 20; had += 5) {
                    try (TestClient again = TestClient.open(node, WireEncoding.BINARY)) {
                        Event.Subscribed resumed = again.resume("/resumed", starts.get(had));
                        assertThat(resumed.recovery()).isEqualTo(Recovery.COMPLETE);
                        assertThat(again.data(20 - had))
                                .isEqualTo(numbered("m", 20).subList(had, 20));
                    }
                }
            }
        }
    }

    @Test
    void aClientOfAKilledNodeResumesOnAnother() {
        try (ServerProcess killed = ServerProcess.startWatched(settings());
                TestClient first = TestClient.open(killed, WireEncoding.BINARY);
                TestClient publisher = TestClient.open(a, WireEncoding.JSON)) {
            first.subscribe("/killed");
            Position last = new Position(0, 0);
            for (int i = 0; i < 10; i++) {
                last = publisher.publish("/killed", "m" + i);
            }
            assertThat(first.data(10)).isEqualTo(numbered("m", 10));
            killed.kill();
            for (int i = 10; i < 15; i++) {
                publisher.publish("/killed", "m" + i);
            }
            try (TestClient again = TestClient.open(b, WireEncoding.BINARY)) {
                assertThat(again.resume("/killed", last).recovery()).isEqualTo(Recovery.COMPLETE);
                assertThat(again.data(5)).isEqualTo(numbered("m", 15).subList(10, 15));
            }
        }
    }

    @Test
    void aNodeStartedLaterHasTheHistory() {
        try (TestClient publisher = TestClient.open(a, WireEncoding.JSON)) {
            Position last = new Position(0, 0);
            for (int i = 0; i < 30; i++) {
                last = publisher.publish("/past", "p" + i);
            }
            try (TestServer later = start();
                    Http http = Http.to(later.port());
                    TestClient returning = TestClient.open(later, WireEncoding.JSON)) {
                JsonNode history =
                        http.get("/history?subject=/past&count=10").json().path("messages");
                assertThat(history).hasSize(10);
                assertThat(history.get(9).path("data").asText()).isEqualTo("p29");
                assertThat(history.get(9).path("epoch").asLong()).isEqualTo(last.epoch());
                assertThat(returning.resume("/past", last).recovery()).isEqualTo(Recovery.COMPLETE);
                publisher.publish("/past", "next");
                assertThat(returning.data(1)).containsExactly("next");
            }
        }
    }

    /** Tests each transport. The connections stay open and the accepted publishes continue afterwards. */
    @Tag("complete")
    @Test
    void subscribersAreNotifiedWhenTheirNodeIsStale() throws Exception {
        List<Status> statuses = new CopyOnWriteArrayList<>();
        KafkaProcess broker = brokers.all().getFirst();
        try (TestClient json = TestClient.open(a, WireEncoding.JSON);
                TestClient binary = TestClient.open(a, WireEncoding.BINARY);
                TestClient publisher = TestClient.open(a, WireEncoding.BINARY);
                Http sse = Http.to(a.port());
                Http lines = Http.to(a.port());
                Http polling = Http.to(a.port());
                BelfryClient client = JavaClientTransport.LINES
                        .to(a.port())
                        .listener(statuses::add)
                        .build()) {
            json.subscribe("/stale");
            binary.subscribe("/stale/**");
            client.subscribe("/stale", message -> {});
            client.start();
            sse.stream("/subscribe?subject=/stale&subject=/stale/2");
            lines.stream("/subscribe?subject=/stale", "Accept: application/x-ndjson");
            Await.until(
                    "the subscription is confirmed",
                    () -> statuses.stream().anyMatch(Status.Subscribed.class::isInstance));
            broker.hold(true);
            try {
                Await.until("the client is notified", OUTAGE_MAX, () -> statuses.contains(new Status.Stale(true)));
                JsonNode poll = polling.get("/poll?subject=/stale&wait=1ms").json();
                assertThat(poll.path("stale").asBoolean()).isTrue();
            } finally {
                broker.hold(false);
            }
            Await.until("the client is notified", OUTAGE_MAX, () -> statuses.contains(new Status.Stale(false)));
            assertThat(polling.get("/poll?subject=/stale&wait=1ms").json().has("stale"))
                    .isFalse();
            publisher.publish("/stale", "after");
            publisher.publish("/stale/2", "after");
            for (TestClient each : List.of(json, binary)) {
                assertThat(each.data(1)).containsExactly("after");
                assertThat(each.staleNotices()).containsExactly(true, false);
            }
            for (Http.LineSource each : List.of(sse.lines(), lines.lines())) {
                assertThat(untilMessage(each).stream().filter(line -> line.contains("\"op\":\"stale\"")))
                        .extracting(line -> line.replace("data: ", ""))
                        .containsExactly("{\"op\":\"stale\",\"stale\":true}", "{\"op\":\"stale\",\"stale\":false}");
            }
            assertThat(statuses).noneMatch(Status.Disconnected.class::isInstance);
            // The server samples its counters once a second.
            Await.until("the notices are counted", () -> ClusterNodes.counter(a, "staleNotices") >= 12);
        }
    }

    private static List<String> untilMessage(Http.LineSource lines) {
        List<String> heard = new ArrayList<>();
        while (heard.isEmpty() || !heard.getLast().contains("\"op\":\"message\"")) {
            heard.add(lines.next());
        }
        return heard;
    }

    @Test
    void aClientThatResumesAnIdleSubjectMissesNothing() {
        try (TestServer node = TestServer.start(cluster.settings("CacheExpireTime=700ms", "Kafka.RepeatTime=500ms"));
                TestClient publisher = TestClient.open(node, WireEncoding.BINARY);
                TestClient client = TestClient.open(node, WireEncoding.BINARY)) {
            client.subscribe("/quiet");
            Position missed = publisher.publish("/quiet", "first");
            Position last = publisher.publish("/quiet", "last");
            client.data(2);
            client.unsubscribe("/quiet");
            for (int i = 0; i < 20; i++) {
                client.subscribe("/busy/" + i);
                publisher.publish("/busy/" + i, "x");
                client.data(1);
                client.unsubscribe("/busy/" + i);
            }
            // The server samples its counters once a second; those of before the deliveries say nothing.
            Await.until(
                    "all idle subjects are forgotten",
                    () -> ClusterNodes.counter(node, "messagesOut") >= 22
                            && ClusterNodes.counter(node, "cachedMessages") == 0
                            && ClusterNodes.counter(node, "clusterQuietSubjects") > 20);
            assertThat(client.resume("/quiet", last).recovery()).isEqualTo(Recovery.COMPLETE);
            publisher.publish("/quiet", "next");
            assertThat(client.data(1)).containsExactly("next");
            client.unsubscribe("/quiet");
            assertThat(client.resume("/quiet", missed).recovery()).isEqualTo(Recovery.GAP);
        }
    }

    /** Simulates a truncated log that lost the messages which the client had received. */
    @Tag("complete")
    @Test
    void aPositionOfAnotherLeaderEpochIsAGap() {
        try (TestClient client = TestClient.open(a, WireEncoding.JSON)) {
            Position here = client.publish("/cut", "here");
            Position lost = new Position(here.epoch(), here.seq() + (1L << 40));
            assertThat(client.resume("/cut", lost).recovery()).isEqualTo(Recovery.GAP);
            Event.Gap gap = client.expect(Event.Gap.class);
            assertThat(gap.reason()).isEqualTo("log-cut");
            assertThat(gap.from()).isEqualTo(lost);
        }
    }

    @Tag("complete")
    @Test
    void aPublisherIsNotifiedOfSubscribersOnAllNodes() {
        try (TestClient publisher = TestClient.open(a, WireEncoding.JSON);
                TestClient here = TestClient.open(a, WireEncoding.BINARY);
                TestClient there = TestClient.open(b, WireEncoding.JSON)) {
            publisher.watch("/watched");
            assertThat(publisher.expect(Event.Interest.class).subscribers()).isFalse();
            there.subscribe("/watched");
            assertThat(publisher.expect(Event.Interest.class).subscribers()).isTrue();
            here.subscribe("/watched");
            there.unsubscribe("/watched");
            here.unsubscribe("/watched");
            assertThat(publisher.expect(Event.Interest.class).subscribers()).isFalse();
            try (ServerProcess dying = ServerProcess.startWatched(settings());
                    TestClient lost = TestClient.open(dying, WireEncoding.BINARY)) {
                lost.subscribe("/watched");
                assertThat(publisher.expect(Event.Interest.class).subscribers()).isTrue();
                dying.kill();
                assertThat(publisher.expect(Event.Interest.class).subscribers()).isFalse();
            }
        }
    }

    @Test
    void aMessageRepeatedOnAnotherNodeIsDeliveredOnce() {
        try (TestClient reader = TestClient.open(a, WireEncoding.JSON);
                Http toA = Http.to(a.port());
                Http toB = Http.to(b.port())) {
            reader.subscribe("/once");
            for (int i = 0; i < 20; i++) {
                JsonNode first =
                        toA.post("/publish?subject=/once&msgId=m" + i, "o" + i).json();
                JsonNode again =
                        toB.post("/publish?subject=/once&msgId=m" + i, "o" + i).json();
                assertThat(again).isEqualTo(first);
            }
            assertThat(reader.data(20)).isEqualTo(numbered("o", 20));
            toA.post("/publish?subject=/once", "last");
            assertThat(reader.data(1)).containsExactly("last");
        }
    }

    @Tag("complete")
    @Test
    void retainedMessagesReachAllNodesAndOutliveTheLog() throws Exception {
        try (TestClient toA = TestClient.open(a, WireEncoding.JSON);
                TestClient toB = TestClient.open(b, WireEncoding.BINARY)) {
            Position kept = toA.retain("/kept", "value", null);
            toA.retain("/cleared", "x", null);
            Await.until(
                    "node b has the retained message",
                    () -> snapshot(b, "/kept").equals("value at " + kept));
            toB.retain("/cleared", "", null);
            Await.until(
                    "node a has no retained message",
                    () -> snapshot(a, "/cleared").isEmpty());
            Await.until(
                    "every retained message is stored",
                    () -> topics.texts(cluster.topic() + ".retained", 4)
                            .containsAll(List.of("/kept value", "/cleared null")));
            // This simulates retention that deletes expired records.
            topics.empty(cluster.topic(), 4);
            try (TestServer later = start()) {
                assertThat(snapshot(later, "/kept")).isEqualTo("value at " + kept);
                assertThat(snapshot(later, "/cleared")).isEmpty();
                Position next = toB.retain("/kept", "next", null);
                Await.until(
                        "the node started later has the retained message",
                        () -> snapshot(later, "/kept").equals("next at " + next));
            }
        }
    }

    /** Returns the retained message that a new subscriber receives, or an empty string. */
    private static String snapshot(TestServer node, String subject) {
        try (TestClient client = TestClient.open(node, WireEncoding.JSON)) {
            client.subscribe(subject);
            client.ping(1);
            return client.next() instanceof Event.Message message ? message.data() + " at " + message.at() : "";
        }
    }

    @Test
    void aKafkaProgramExchangesMessagesWithClients() throws Exception {
        try (KafkaProducer<String, String> program = program();
                TestClient reader = TestClient.open(a, WireEncoding.JSON);
                TestClient all = TestClient.open(b, WireEncoding.BINARY);
                TestClient publisher = TestClient.open(b, WireEncoding.JSON)) {
            Event.Subscribed begin = reader.subscribe("/orders/17");
            all.subscribe("/orders/**");
            ProducerRecord<String, String> record = new ProducerRecord<>("orders", "17", "made");
            record.headers().add("lang", TestClient.bytes("de")).add("$user", TestClient.bytes("forged"));
            RecordMetadata made = program.send(record).get();
            program.send(new ProducerRecord<>("orders", "18/lines/-", "deep")).get();
            program.send(new ProducerRecord<>("orders", null, "no key")).get();
            program.send(new ProducerRecord<>("orders", (made.partition() + 1) % 3, "17", "misplaced"))
                    .get();
            Map<String, String> headers = Map.of("id", "17");
            Position paid = publisher.publish("/orders/17", "paid", new PublishTerms(false, null, headers));
            List<Event.Message> read = messages(reader, 2);
            assertThat(read.stream().map(Event.Message::data)).containsExactly("made", "paid");
            assertThat(read.getLast().at()).isEqualTo(paid);
            assertThat(read.stream().map(Event.Message::headers)).containsExactly(Map.of("lang", "de"), headers);
            assertThat(messages(all, 3).stream().map(each -> each.subject() + " " + each.data()))
                    .containsExactlyInAnyOrder("/orders/17 made", "/orders/18/lines/- deep", "/orders/17 paid");
            assertThat(topics.texts("orders", 3))
                    .filteredOn(each -> each.startsWith("17 "))
                    .containsExactlyInAnyOrder("17 made", "17 misplaced", "17 paid");
            try (TestClient again = TestClient.open(b, WireEncoding.JSON)) {
                assertThat(again.resume("/orders/17", Objects.requireNonNull(begin.at()))
                                .recovery())
                        .isEqualTo(Recovery.COMPLETE);
                List<Event.Message> later = messages(again, 2);
                assertThat(later.stream().map(Event.Message::data)).containsExactly("made", "paid");
                assertThat(later.stream().map(Event.Message::headers)).containsExactly(Map.of("lang", "de"), headers);
            }
            assertThat(topics.records("orders", 3).stream()
                            .filter(each -> each.value().equals("paid"))
                            .map(each ->
                                    new String(each.headers().lastHeader("~id").value(), StandardCharsets.UTF_8)))
                    .containsExactly("17");
            publisher.send(9, "/orders/17", "x", true, null);
            assertThat(publisher.expect(Event.Failed.class).code()).isEqualTo("unsupported");
            // The server samples its counters once a second.
            Await.until(
                    "both records are counted as skipped, and a header as omitted",
                    () -> ClusterNodes.counter(a, "clusterMalformed") == 1
                            && ClusterNodes.counter(a, "clusterHeadersOmitted") == 1
                            && ClusterNodes.counter(a, "clusterMisplaced") == 1);
            assertThat(a.stats().path("cluster").path("lagByPartition").properties())
                    .extracting(Map.Entry::getKey)
                    .contains("0", "3", "orders-0", "orders-2")
                    .doesNotContain("4", "orders-3");
        }
    }

    /** Creates a producer with only the required settings. */
    private static KafkaProducer<String, String> program() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers.addresses()), new StringSerializer(), new StringSerializer());
    }

    @Tag("complete")
    @Test
    void aRecreatedBridgedTopicStartsANewHistory() throws Exception {
        topics.create("anew", 3);
        ClusterNodes others = ClusterNodes.on(brokers);
        Position old = new Position(0, 0);
        try (ServerProcess node = others.start("Kafka.Bridge=anew");
                TestClient client = TestClient.open(node, WireEncoding.JSON)) {
            node.expectErrors();
            for (int i = 0; i < 3; i++) {
                old = client.publish("/anew/k", "old");
            }
            topics.delete("anew");
            topics.create("anew", 3);
            // Either the topic's reader or the topic's watch reports the change first.
            Await.until("the node stops", () -> node.logText().contains("this node stops"));
            assertThat(client.end())
                    .as("close code that sends clients to another node")
                    .isEqualTo(1001);
        }
        try (ServerProcess node = others.start("Kafka.Bridge=anew");
                TestClient client = TestClient.open(node, WireEncoding.JSON)) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.publish("/anew/k", "new").seq()).isGreaterThan(old.seq());
            }
            assertThat(client.resume("/anew/k", old).recovery()).isEqualTo(Recovery.GAP);
            client.expect(Event.Gap.class);
            assertThat(client.data(5)).containsOnly("new");
        }
    }
}
