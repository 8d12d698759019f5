package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.Await;
import io.belfry.integration.Numbered;
import io.belfry.integration.StreamWitness;
import java.util.ArrayList;
import java.util.List;

/** Checks of patterns, of callbacks that throw, and of notices of interest. Pure. */
final class PatternChecks {
    private static final String PATTERNS = "Patterns";
    private static final String LISTENERS = "Callbacks";

    /** A message of a publisher that the ledger does not know, because it may be missing. */
    private static final String MISSED = new Numbered(9, 1).data(0);

    private PatternChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(Behaviour.overEachWire(
                PATTERNS,
                "A pattern delivers every matching subject once and in order",
                Behaviour.Mode.SHARED,
                PatternChecks::matching,
                "patterns"));
        all.add(Behaviour.of(
                PATTERNS,
                "After a cut a pattern has every message of its known subjects, or a gap is reported",
                PatternChecks::cutPattern,
                "patterns"));
        all.add(Behaviour.of(
                LISTENERS,
                "A message callback that throws is reported and gets the next message",
                PatternChecks::throwingListener,
                "callback"));
        all.add(Behaviour.of(
                LISTENERS, "A status callback that throws does not stop the client", PatternChecks::throwingStatus));
        all.add(Behaviour.of(
                "Notices of interest",
                "A watch reports the first and the last subscriber of a subject",
                PatternChecks::interest,
                "watch"));
        all.add(Behaviour.of(
                "Notices of interest",
                "A watch is requested again after a cut and reports a change that it missed",
                PatternChecks::interestAfterCut,
                "watch"));
        return all;
    }

    private static List<String> subjects(String root) {
        return List.of(root + "/a", root + "/b", root + "/c/d", root + "/größe");
    }

    private static void matching(Scene scene, Wire wire) {
        String root = scene.subject("all");
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client = scene.start(wire, scene.main().port());
        StreamWitness witness = scene.witness("a pattern");
        client.report(witness);
        client.subscribe(root + "/**");
        client.awaitSubscribed(root + "/**");
        publisher.publish(subjects(root), 200, 50);
        publisher.publish(List.of(root), 5, 0);
        Await.until("every message", () -> client.texts().size() >= 200);
        scene.requireNoFault();
        assertThat(client.texts()).hasSize(200);
        assertThat(client.messages())
                .allMatch(event -> event.path("sub").asText().equals(root + "/**"));
    }

    private static void cutPattern(Scene scene) {
        String root = scene.subject("cut");
        String unknown = root + "/unknown";
        Gate gate = scene.gate(scene.main().port());
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client = scene.start(scene.anyWire(), gate.port());
        StreamWitness witness = scene.witness("a pattern", (subject, reason) -> true, false);
        client.report(witness);
        client.subscribe(root + "/**");
        client.awaitSubscribed(root + "/**");
        publisher.publish(subjects(root), 100, 50);
        OrderChecks.awaitEnds(scene, witness);
        gate.shut(client);
        publisher.publish(subjects(root), 100, 50);
        publisher.publish(unknown, MISSED, false);
        gate.open();
        Await.until(
                "the pattern is confirmed again",
                () -> client.events("subscribed").stream()
                                .filter(event -> event.path("subject").asText().equals(root + "/**"))
                                .count()
                        >= 2);
        publisher.publish(subjects(root), 100, 50);
        OrderChecks.awaitEnds(scene, witness);
        boolean delivered = client.texts().contains(MISSED);
        boolean announced = client.gaps().stream().anyMatch(gap -> !gap.has("to"));
        assertThat(delivered || announced)
                .as("a message of an unknown subject arrives, or a gap of the pattern is reported")
                .isTrue();
    }

    private static void throwingListener(Scene scene) {
        String subject = scene.subject("throws");
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        client.call(client.command("subscribe")
                .put("subject", subject)
                .put("face", "callback")
                .put("throwsEvery", 3));
        client.awaitSubscribed(subject);
        StreamWitness witness = scene.witness("a listener that throws");
        client.report(witness);
        publisher.publish(List.of(subject), 30, 0);
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.texts()).hasSize(30);
        JsonNode error =
                client.await("error", event -> event.path("kind").asText().equals("listener"));
        assertThat(error.path("reason").asText()).isNotEmpty();
        assertThat(client.statuses("disconnected")).isEmpty();
    }

    private static void throwingStatus(Scene scene) {
        String subject = scene.subject("status");
        Gate gate = scene.gate(scene.main().port());
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client =
                scene.start(scene.plan(scene.anyWire(), gate.port()).put("statusThrows", true));
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, List.of(subject));
        gate.cut();
        publisher.publish(List.of(subject), 10, 0);
        OrderChecks.awaitEnds(scene, witness);
        client.awaitStates("connected", 2);
    }

    private static List<Boolean> interests(DrivenClient client) {
        return client.events("interest").stream()
                .map(event -> event.path("subscribers").asBoolean())
                .toList();
    }

    private static void interest(Scene scene) {
        String subject = scene.subject("watched");
        DrivenClient watching = scene.start(scene.anyWire(), scene.main().port());
        DrivenClient subscriber = scene.start(scene.anyWire(), scene.main().port());
        watching.call(watching.command("watch").put("subject", subject));
        Await.until("the first state", () -> interests(watching).equals(List.of(false)));
        subscriber.subscribe(subject);
        Await.until("the first subscriber", () -> interests(watching).equals(List.of(false, true)));
        subscriber.unsubscribe(subject);
        Await.until("the last subscriber", () -> interests(watching).equals(List.of(false, true, false)));
        watching.call(watching.command("unwatch").put("subject", subject));
        Scene.pause(200);
        subscriber.subscribe(subject);
        subscriber.awaitSubscribed(subject);
        Scene.pause(200);
        assertThat(interests(watching)).hasSize(3);
    }

    private static void interestAfterCut(Scene scene) {
        String subject = scene.subject("watched");
        Gate gate = scene.gate(scene.main().port());
        DrivenClient watching = scene.start(scene.anyWire(), gate.port());
        DrivenClient subscriber = scene.start(scene.anyWire(), scene.main().port());
        watching.call(watching.command("watch").put("subject", subject));
        Await.until("the first state", () -> !interests(watching).isEmpty());
        gate.shut();
        subscriber.subscribe(subject);
        subscriber.awaitSubscribed(subject);
        gate.open();
        Await.until("the change", () -> interests(watching).getLast());
    }
}
