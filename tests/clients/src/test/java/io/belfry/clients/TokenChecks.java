package io.belfry.clients;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Jwts;
import io.belfry.integration.StreamWitness;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Checks of the life of tokens. Pure. */
final class TokenChecks {
    private static final String GROUP = "Tokens";
    private static final String ALL = "{\"all\":[\"/**\"]}";

    private static final int RENEWAL_SECONDS = 12;

    private TokenChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "An expiring token is replaced without a loss, and without a disconnect if the server announces it",
                Behaviour.Mode.LONG,
                TokenChecks::renewal,
                "tokenSource"));
        all.add(Behaviour.of(
                GROUP,
                "A subscription that the new token does not allow ends with its code",
                TokenChecks::lostRight,
                "tokenSource"));
        all.add(Behaviour.of(
                GROUP,
                "A token source that fails is reported and asked again after a pause",
                TokenChecks::failingSource,
                "tokenSource"));
        all.add(Behaviour.of(
                GROUP,
                "A refused token of a source is replaced after a pause",
                TokenChecks::refusedToken,
                "tokenSource"));
        return all;
    }

    /** Answers the questions of a client, each after a moment; two open questions at once are a fault. */
    private static AtomicInteger answer(Scene scene, DrivenClient client, IntFunction<ObjectNode> answers) {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger open = new AtomicInteger();
        client.alsoObserve(event -> {
            if (!DrivenClient.op(event).equals("token")) {
                return;
            }
            int number = asked.incrementAndGet();
            if (open.incrementAndGet() > 1) {
                scene.faults.add(client.toString(), "a second question for a token before the answer to the first");
            }
            Thread.ofVirtual().start(() -> {
                Scene.pause(100);
                open.decrementAndGet();
                try {
                    client.call(answers.apply(number)
                            .put("op", "token")
                            .put("client", client.toString())
                            .put("ask", event.path("ask").asLong()));
                } catch (DriverProcess.CommandRefused closedMeanwhile) {
                    // The check has ended, and closed the client.
                }
            });
        });
        return asked;
    }

    private static ObjectNode token(double seconds, String permissions) {
        return DriverProcess.JSON.createObjectNode().put("token", Jwts.hs256(Jwts.claims(seconds, permissions)));
    }

    private static DrivenClient start(Scene scene, Wire wire, IntFunction<ObjectNode> answers) {
        // The client asks while it starts: its observer must be there before.
        return scene.start(
                scene.plan(wire, scene.guarded().port()).put("tokenSource", true),
                client -> answer(scene, client, answers));
    }

    private static void renewal(Scene scene, Wire wire) {
        // A poll has no notice of the expiry: it ends with token-expired, and the next one needs another token. The
        // others get
        // their notice after half of the time, and have the other half to answer it.
        double lifeSeconds = wire == Wire.POLL ? RENEWAL_SECONDS / 2 : RENEWAL_SECONDS * 1.5;
        DrivenClient client = start(scene, wire, number -> token(lifeSeconds, ALL));
        List<String> subjects = OrderChecks.subjects(scene);
        try (GuardedPublisher publisher = new GuardedPublisher(scene)) {
            StreamWitness witness = scene.witness(client.toString());
            client.report(witness);
            subjects.forEach(subject -> {
                witness.startAt(subject, publisher.publish(subject));
                client.subscribe(subject, requireNonNull(witness.at(subject)));
            });
            subjects.forEach(client::awaitSubscribed);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(RENEWAL_SECONDS);
            while (System.nanoTime() - end < 0 && scene.faults.count() == 0) {
                publisher.publish(subjects.get(scene.random().nextInt(subjects.size())));
                Scene.pause(20);
            }
            OrderChecks.awaitEnds(scene, witness);
        }
        assertThat(client.events("token")).as("questions for tokens").hasSizeBetween(2, 8);
        assertThat(client.statuses("disconnected").stream()
                        .filter(each ->
                                wire != Wire.POLL || !each.path("code").asText().equals("token-expired")))
                .isEmpty();
        assertThat(client.gaps()).isEmpty();
    }

    private static void lostRight(Scene scene) {
        String kept = scene.subject("kept");
        String lost = scene.subject("lost");
        DrivenClient client = start(
                scene,
                scene.anyWire(),
                number -> token(number == 1 ? 3 : 600, number == 1 ? ALL : "{\"all\":[\"" + kept + "\"]}"));
        client.subscribe(kept);
        client.subscribe(lost);
        client.awaitSubscribed(kept);
        client.awaitSubscribed(lost);
        JsonNode ended =
                client.await("ended", event -> event.path("subject").asText().equals(lost));
        assertThat(ended.path("code").asText()).isEqualTo("subscribe-denied");
        client.acked(client.publish(kept, "x"));
        client.awaitMessages(1);
        assertThat(client.events("ended")).hasSize(1);
    }

    private static void failingSource(Scene scene) {
        DrivenClient client = start(
                scene,
                scene.anyWire(),
                number -> number < 3
                        ? DriverProcess.JSON.createObjectNode().put("fails", "no token today")
                        : token(600, ALL));
        client.awaitState("connected");
        List<JsonNode> reports = new ArrayList<>(client.events("error"));
        reports.addAll(client.statuses("disconnected"));
        assertThat(reports)
                .as("reports of the failure")
                .anyMatch(event -> event.toString().contains("no token today"));
        assertThat(client.events("token")).hasSize(3);
    }

    private static void refusedToken(Scene scene) {
        DrivenClient client = start(
                scene,
                scene.anyWire(),
                number -> number < 3 ? DriverProcess.JSON.createObjectNode().put("token", "wrong") : token(600, ALL));
        client.awaitState("connected");
        assertThat(client.events("token")).hasSize(3);
        assertThat(client.statuses("refused")).isEmpty();
    }
}
