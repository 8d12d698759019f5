package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.Await;
import io.belfry.integration.CuttingProxy;
import io.belfry.integration.StreamWitness;
import io.belfry.protocol.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Checks of subscribing and publishing without faults. Pure. */
final class OrderChecks {
    static final String GROUP = "Subscribing and publishing";

    /** More than the distance between the faults of a negative control. */
    private static final int MESSAGES = 1500;

    private OrderChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(Behaviour.overEachWire(
                GROUP, "Messages arrive once and in order", Behaviour.Mode.SHARED, OrderChecks::onceAndInOrder));
        all.add(Behaviour.of(
                GROUP,
                "Published messages are acknowledged with their positions and delivered in order",
                OrderChecks::publishing,
                "publish"));
        all.add(Behaviour.of(
                GROUP, "Text, bytes and empty data arrive as they were published", OrderChecks::data, "publish"));
        all.add(Behaviour.of(
                GROUP,
                "Compression is offered, and compressed messages are exchanged",
                OrderChecks::compressed,
                "compression",
                "publish"));
        all.add(Behaviour.of(
                GROUP, "A later subscriber receives the retained message first", OrderChecks::retained, "publish"));
        all.add(Behaviour.of(
                GROUP,
                "The requested number of earlier messages precedes the live ones",
                OrderChecks::history,
                "history"));
        all.add(Behaviour.of(
                GROUP,
                "A subscription that conflates ends at the latest message and reports no gap",
                OrderChecks::conflating,
                "conflate"));
        return all;
    }

    static List<String> subjects(Scene scene) {
        return List.of(scene.subject("one"), scene.subject("two words"), scene.subject("größe+&=%25/deep"));
    }

    /** Publishes a first message to each subject and subscribes behind it, so that the first delivery is known. */
    static StreamWitness follow(Scene scene, DrivenClient client, SuitePublisher publisher, List<String> subjects) {
        StreamWitness witness = scene.witness(client.toString());
        follow(witness, client, publisher, subjects);
        return witness;
    }

    static void follow(StreamWitness witness, DrivenClient client, SuitePublisher publisher, List<String> subjects) {
        client.report(witness);
        for (String subject : subjects) {
            Position first = publisher.publish(subject);
            witness.startAt(subject, first);
            client.subscribe(subject, first);
        }
        subjects.forEach(client::awaitSubscribed);
    }

    static void awaitEnds(Scene scene, StreamWitness witness) {
        Map<String, Position> ends = scene.ledger.ends();
        awaitAll(scene, witness, ends);
        scene.requireNoFault();
    }

    /** Waits until a witness has the message at each of these ends, or a fault was found. */
    static void awaitAll(Scene scene, StreamWitness witness, Map<String, Position> ends) {
        Await.untilDone(
                () -> "every message at " + witness + ", the ends are " + ends,
                () -> scene.faults.count() > 0
                        || ends.entrySet().stream().allMatch(end -> witness.hasReached(end.getKey(), end.getValue())),
                () -> witness.behind(ends));
    }

    static void onceAndInOrder(Scene scene, Wire wire) {
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client = scene.start(wire, scene.main().port());
        List<String> subjects = subjects(scene);
        StreamWitness witness = follow(scene, client, publisher, subjects);
        publisher.publish(subjects, MESSAGES, 200);
        awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
    }

    private static void publishing(Scene scene) {
        String subject = scene.subject("published");
        DrivenClient publisher = scene.start(scene.anyWire(), scene.main().port());
        DrivenClient subscriber = scene.start(scene.anyWire(), scene.main().port());
        subscriber.subscribe(subject);
        subscriber.awaitSubscribed(subject);
        List<String> texts =
                IntStream.range(0, 200).mapToObj(i -> "message " + i).toList();
        List<Long> ids =
                texts.stream().map(text -> publisher.publish(subject, text)).toList();
        List<Position> acknowledged = ids.stream().map(publisher::acked).toList();
        List<JsonNode> received = subscriber.awaitMessages(texts.size());
        assertThat(subscriber.texts()).isEqualTo(texts);
        assertThat(received)
                .extracting(event -> DrivenClient.position(event, "position"))
                .isEqualTo(acknowledged);
    }

    private static void data(Scene scene) {
        String subject = scene.subject("data");
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        client.subscribe(subject);
        client.awaitSubscribed(subject);
        List<String> texts = List.of("", "Grüße, 日本 \uD83D\uDD14", "\"quoted\" \\ \t\r\n\u0001", "x".repeat(60_000));
        texts.forEach(text -> client.acked(client.publish(subject, text)));
        client.acked(
                client.publish(client.command("publish").put("subject", subject).put("base64", "AP+A")));
        List<JsonNode> received = client.awaitMessages(texts.size() + 1);
        assertThat(client.texts().subList(0, texts.size())).isEqualTo(texts);
        assertThat(received.getLast().path("base64").asText()).isEqualTo("AP+A");
    }

    private static void compressed(Scene scene) {
        String subject = scene.subject("compressed");
        CuttingProxy proxy = scene.proxy(scene.main().port());
        for (Wire wire : List.of(Wire.BINARY, Wire.JSON)) {
            if (!scene.can(wire)) {
                continue;
            }
            DrivenClient client = scene.start(scene.plan(wire, proxy.port()).put("compression", true));
            client.subscribe(subject);
            client.awaitSubscribed(subject);
            assertThat(proxy.heard("permessage-deflate")).isTrue();
            List<String> texts = List.of("short", "of few letters ".repeat(200), "text ".repeat(12_000), "");
            texts.forEach(text -> client.acked(client.publish(subject, text)));
            client.awaitMessages(texts.size());
            assertThat(client.texts()).isEqualTo(texts);
            scene.close(client);
            proxy.cut(sent -> true);
        }
    }

    private static void retained(Scene scene) {
        String subject = scene.subject("retained");
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        client.acked(client.publish(client.command("publish")
                .put("subject", subject)
                .put("text", "kept")
                .put("retain", true)));
        client.acked(client.publish(subject, "not kept"));
        client.subscribe(subject);
        client.awaitSubscribed(subject);
        client.acked(client.publish(subject, "live"));
        List<JsonNode> received = client.awaitMessages(2);
        assertThat(received)
                .extracting(
                        event -> event.path("type").asText(),
                        event -> event.path("text").asText(),
                        event -> event.path("retained").asBoolean())
                .containsExactly(tuple("snapshot", "kept", true), tuple("live", "live", false));
    }

    private static void history(Scene scene) {
        String subject = scene.subject("history");
        SuitePublisher publisher = scene.publisher(scene.main());
        IntStream.range(0, 5).forEach(i -> publisher.publish(subject, "old " + i, false));
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        client.call(client.command("subscribe").put("subject", subject).put("history", 3));
        client.awaitSubscribed(subject);
        publisher.publish(subject, "live", false);
        List<JsonNode> received = client.awaitMessages(4);
        assertThat(client.texts()).containsExactly("old 2", "old 3", "old 4", "live");
        assertThat(received)
                .extracting(event -> event.path("type").asText())
                .containsExactly("history", "history", "history", "live");
    }

    private static void conflating(Scene scene) {
        String subject = scene.subject("conflated");
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        client.call(client.command("subscribe").put("subject", subject).put("conflateMillis", 300));
        client.awaitSubscribed(subject);
        int count = 500;
        for (int i = 0; i < count; i++) {
            publisher.publish(subject, Integer.toString(i), false);
        }
        Await.until("the latest message", () -> client.texts().contains(Integer.toString(count - 1)));
        assertThat(client.texts()).hasSizeLessThan(count / 2).doesNotHaveDuplicates();
        assertThat(client.gaps()).isEmpty();
    }
}
