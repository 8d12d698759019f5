package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Await;
import io.belfry.integration.CuttingProxy;
import io.belfry.integration.Http;
import io.belfry.integration.Jwts;
import io.belfry.integration.NetworkFaults;
import io.belfry.integration.Numbered;
import io.belfry.protocol.Position;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Checks of publishing when the network or the server refuses. Pure. */
final class PublishChecks {
    private static final String GROUP = "Publishing under faults";

    /** Number of messages that are read again after the cuts; an answer of this size is not truncated. */
    private static final int HISTORY = 10_000;

    /**
     * Time limit of the publishes that are cut off. One driver has all clients of many checks, and on a busy machine it has
     * many messages to read before an answer; {@link #timedOut} checks the limit itself.
     */
    private static final Duration ANSWER_MAX = Duration.ofMinutes(2);

    private PublishChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "Publishes that were cut off are repeated and stored once and in order",
                Behaviour.Mode.LONG,
                PublishChecks::cuts,
                "publish"));
        all.add(Behaviour.of(
                GROUP,
                "A msgId that is published twice is stored once, at one position",
                PublishChecks::sameMsgId,
                "publish"));
        all.add(Behaviour.of(
                GROUP,
                "A publish that must not be repeated has an unknown outcome after a cut",
                PublishChecks::unknown,
                "publishOnce"));
        all.add(Behaviour.of(
                GROUP, "A publish without an answer fails after its time limit", PublishChecks::timedOut, "publish"));
        all.add(Behaviour.of(
                GROUP,
                "Publishes over the bound fail at once, the others are acknowledged",
                PublishChecks::pendingBound,
                "pendingBound"));
        all.add(Behaviour.of(
                GROUP,
                "A refused publish fails with its code and the session continues",
                PublishChecks::refused,
                "publish"));
        all.add(Behaviour.of(
                GROUP, "Closing a client fails its unanswered publishes", PublishChecks::closed, "publish"));
        return all;
    }

    private static void cuts(Scene scene, Wire wire) {
        NetworkFaults network = NetworkFaults.rough(scene.random().nextLong(), CutChecks.STALL_ONE_IN);
        CuttingProxy proxy = scene.proxy(scene.main().port(), network);
        DrivenClient client =
                scene.start(scene.plan(wire, proxy.port()).put("publishTimeoutMillis", ANSWER_MAX.toMillis()));
        String subject = scene.subject("repeated");
        Random random = scene.random();
        OpenPublishes open = new OpenPublishes(scene, client, subject);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(scene.settings().randomSeconds());
        long endAtMost = end + Await.LONG.toNanos();
        // On a busy machine the time may pass before the first cut.
        while (scene.faults.count() == 0
                && (System.nanoTime() - end < 0
                        || (client.statuses("disconnected").isEmpty() && System.nanoTime() - endAtMost < 0))) {
            for (int i = random.nextInt(20); i >= 0 && open.hasRoom(); i--) {
                open.publish(random.nextInt(200));
            }
            Scene.pause(random.nextInt(300));
            // On a busy machine a request may take longer than the time between two cuts; then no publish would
            // succeed.
            if (random.nextInt(4) == 0 && !open.isStuck()) {
                proxy.cut(said -> true);
            }
        }
        List<JsonNode> latest = client.latest();
        network.clear();
        Await.until("every publish has an outcome", ANSWER_MAX, () -> open.count() == 0);
        for (JsonNode stored : history(scene, subject)) {
            scene.ledger.delivered(
                    "history",
                    subject,
                    new Position(
                            stored.path("epoch").asLong(), stored.path("seq").asLong()),
                    Numbered.of(stored.path("data").asText()));
        }
        scene.ledger.settle();
        assertThat(client.statuses("disconnected"))
                .as("latest events during the cuts: %s", latest)
                .isNotEmpty();
    }

    private static Iterable<JsonNode> history(Scene scene, String subject) {
        String encoded = URLEncoder.encode(subject, StandardCharsets.UTF_8);
        try (Http http = Http.to(scene.main().port())) {
            return http.get("/history?count=" + HISTORY + "&subject=" + encoded)
                    .json()
                    .path("messages");
        }
    }

    private static void sameMsgId(Scene scene) {
        String subject = scene.subject("same");
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        Position first = client.acked(client.publish(command(client, subject).put("msgId", "order-17")));
        Position second = client.acked(client.publish(command(client, subject).put("msgId", "order-17")));
        assertThat(second).isEqualTo(first);
        assertThat(history(scene, subject)).hasSize(1);
    }

    private static ObjectNode command(DrivenClient client, String subject) {
        return client.command("publish").put("subject", subject).put("text", "x");
    }

    private static void unknown(Scene scene) {
        Gate gate = scene.gate(scene.main().port());
        DrivenClient client = scene.start(scene.anyWire(), gate.port());
        client.awaitState("connected");
        gate.hold(true);
        long id = client.publish(command(client, scene.subject("once")).put("once", true));
        Scene.pause(300);
        gate.cut();
        gate.hold(false);
        assertThat(client.outcome(id).path("kind").asText()).isEqualTo("unknown");
    }

    private static void timedOut(Scene scene) {
        Gate gate = scene.gate(scene.main().port());
        DrivenClient client =
                scene.start(scene.plan(scene.anyWire(), gate.port()).put("publishTimeoutMillis", 600));
        client.awaitState("connected");
        gate.hold(true);
        long id = client.publish(scene.subject("late"), "x");
        assertThat(client.outcome(id).path("kind").asText()).isEqualTo("timed-out");
        gate.hold(false);
    }

    private static void pendingBound(Scene scene) {
        Gate gate = scene.gate(scene.main().port());
        DrivenClient client =
                scene.start(scene.plan(scene.anyWire(), gate.port()).put("pendingCount", 10));
        client.awaitState("connected");
        gate.hold(true);
        List<Long> ids = IntStream.range(0, 15)
                .mapToObj(i -> client.publish(scene.subject("bound"), "message " + i))
                .toList();
        ids.subList(10, 15)
                .forEach(id ->
                        assertThat(client.outcome(id).path("kind").asText()).isEqualTo("too-many-pending"));
        gate.hold(false);
        ids.subList(0, 10).forEach(client::acked);
        client.acked(client.publish(scene.subject("bound"), "there is room again"));
    }

    private static void refused(Scene scene) {
        String allowed = scene.subject("allowed");
        DrivenClient client =
                scene.start(scene.plan(scene.anyWire(), scene.guarded().port())
                        .put("token", Jwts.hs256(Jwts.claims(600, "{\"all\":[\"" + allowed + "\"]}"))));
        JsonNode denied = client.outcome(client.publish(scene.subject("denied"), "x"));
        assertThat(denied.path("kind").asText()).isEqualTo("refused");
        assertThat(denied.path("code").asText()).isEqualTo("publish-denied");
        JsonNode large = client.outcome(client.publish(allowed, "x".repeat(100_000)));
        assertThat(large.path("kind").asText()).isEqualTo("refused");
        assertThat(large.path("code").asText()).isEqualTo("message-too-large");
        client.acked(client.publish(allowed, "x"));
        assertThat(client.statuses("disconnected")).isEmpty();
    }

    private static void closed(Scene scene) {
        Gate gate = scene.gate(scene.main().port());
        DrivenClient client = scene.start(scene.anyWire(), gate.port());
        client.awaitState("connected");
        gate.hold(true);
        List<Long> ids = IntStream.range(0, 3)
                .mapToObj(i -> client.publish(scene.subject("closed"), "x"))
                .toList();
        scene.close(client);
        assertThat(client.events("failed"))
                .extracting(
                        each -> each.path("id").asLong(),
                        each -> each.path("kind").asText())
                .containsExactlyInAnyOrderElementsOf(
                        ids.stream().map(id -> tuple(id, "closed")).toList());
    }
}
