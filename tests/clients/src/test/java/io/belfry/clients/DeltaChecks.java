package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Checks of subscriptions with deltas: the application receives what was published. Pure. */
final class DeltaChecks {
    private static final String GROUP = "Deltas";
    private static final String CAPABILITY = "delta";
    private static final String DELTAS = "belfry_deltas_out_total";
    private static final int MESSAGES = 60;
    private static final int RETURNS = 2;

    private DeltaChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(overWebSocket(
                "Deltas become the published messages, beside a client without deltas", DeltaChecks::becomeMessages));
        all.addAll(overWebSocket(
                "A client with deltas that returns receives every message",
                (scene, wire) -> returns(scene, wire, false)));
        all.addAll(overWebSocket(
                        "A client with deltas that continues its session receives every message",
                        (scene, wire) -> returns(scene, wire, true))
                .stream()
                .map(each -> each.needing(Set.of("keepSession")))
                .toList());
        return all;
    }

    private static List<Behaviour> overWebSocket(String sentence, Behaviour.WireCheck check) {
        return Behaviour.overEachWire(GROUP, sentence, Behaviour.Mode.SHARED, check, CAPABILITY).stream()
                .filter(each -> each.needs().contains("webSocket"))
                .toList();
    }

    /** Returns a state of some hundred bytes of which two numbers and, now and then, the length change. */
    private static String state(int number, Random random) {
        StringBuilder text = new StringBuilder("{\"match\":\"M\u00fcnchen \u2013 \u6771\u4eac\",\"number\":" + number);
        for (int row = 0; row < 10 + number / 20; row++) {
            int price = row == number % 10 ? random.nextInt(1000) : row * 37;
            text.append(",\"row")
                    .append(row)
                    .append("\":{\"price\":")
                    .append(price)
                    .append(",\"unit\":\"\u20ac\"}");
        }
        return text.append(",\"\ud83d\udd14\":\"")
                .append(number % 3 == 0 ? "\ud83d\udd14" : "\ud83d\udd15")
                .append("\"}")
                .toString();
    }

    private static List<String> subjects(Scene scene) {
        return List.of(scene.subject("state"), scene.subject("other state"), scene.subject("gr\u00f6\u00dfe"));
    }

    private static void subscribe(DrivenClient client, List<String> subjects, boolean deltas) {
        subjects.forEach(subject ->
                client.call(client.command("subscribe").put("subject", subject).put("deltas", deltas)));
        subjects.forEach(client::awaitSubscribed);
    }

    private static void publish(SuitePublisher publisher, String subject, String text, Map<String, List<String>> all) {
        publisher.publish(subject, text, false);
        all.computeIfAbsent(subject, s -> new ArrayList<>()).add(text);
    }

    private static Map<String, List<String>> received(DrivenClient client) {
        Map<String, List<String>> all = new TreeMap<>();
        for (JsonNode event : client.messages()) {
            assertThat(event.path("op").asText()).isEqualTo("message");
            all.computeIfAbsent(event.path("subject").asText(), s -> new ArrayList<>())
                    .add(event.path("text").asText());
        }
        return all;
    }

    private static void require(DrivenClient client, Map<String, List<String>> published) {
        int count = published.values().stream().mapToInt(List::size).sum();
        client.awaitMessages(count);
        assertThat(received(client)).isEqualTo(published);
    }

    private static void becomeMessages(Scene scene, Wire wire) {
        MeasuredServer measured = scene.closing(MeasuredServer.start());
        SuitePublisher publisher = scene.publisher(measured.server());
        List<String> subjects = subjects(scene);
        Map<String, List<String>> published = new TreeMap<>();
        String retained = state(0, scene.random());
        publisher.publish(subjects.getFirst(), retained, true);
        published.put(subjects.getFirst(), new ArrayList<>(List.of(retained)));
        DrivenClient client = scene.start(wire, measured.port());
        DrivenClient plain = scene.start(wire, measured.port());
        subscribe(client, subjects, true);
        subscribe(plain, subjects, false);
        for (int i = 1; i <= MESSAGES; i++) {
            publish(
                    publisher,
                    subjects.get(scene.random().nextInt(subjects.size())),
                    state(i, scene.random()),
                    published);
        }
        String large = state(1, scene.random()).repeat(80);
        for (String text : List.of("", "short", large, large + "!", "short", "short", state(1, scene.random()))) {
            publish(publisher, subjects.getFirst(), text, published);
        }
        require(plain, published);
        require(client, published);
        Await.until("half of the messages were deltas", () -> measured.metric(DELTAS) > MESSAGES / 2);
        assertThat(measured.metric(DELTAS))
                .as("deltas, to one of the two clients")
                .isLessThan(2 * MESSAGES);
        String left = subjects.getLast();
        client.unsubscribe(left);
        publish(publisher, left, state(1, scene.random()), published);
        require(plain, published);
        subscribe(client, List.of(left), true);
        client.awaitSubscribed(left, 2);
        publish(publisher, left, state(2, scene.random()), published);
        publish(publisher, left, state(3, scene.random()), published);
        require(plain, published);
        List<String> ofLeft = Objects.requireNonNull(published.get(left));
        ofLeft.remove(ofLeft.size() - 3);
        require(client, published);
    }

    private static void returns(Scene scene, Wire wire, boolean kept) {
        MeasuredServer measured = scene.closing(MeasuredServer.start());
        Gate gate = scene.gate(measured.port());
        SuitePublisher publisher = scene.publisher(measured.server());
        List<String> subjects = subjects(scene);
        DrivenClient client = scene.start(scene.plan(wire, gate.port()).put("keepSession", kept));
        subscribe(client, subjects, true);
        Map<String, List<String>> published = new TreeMap<>();
        int number = 0;
        for (int returns = 0; returns <= RETURNS; returns++) {
            int before = measured.metric(DELTAS);
            for (int i = 0; i < MESSAGES; i++) {
                publish(publisher, subjects.get(i % subjects.size()), state(++number, scene.random()), published);
            }
            require(client, published);
            int expected = before + MESSAGES / 2;
            Await.until("deltas after return " + returns, () -> measured.metric(DELTAS) > expected);
            gate.shut();
            for (String subject : subjects) {
                publish(publisher, subject, state(++number, scene.random()), published);
            }
            gate.open();
            require(client, published);
        }
        if (kept) {
            assertThat(measured.metric("belfry_sessions_not_resumed_total")).isZero();
        }
    }
}
