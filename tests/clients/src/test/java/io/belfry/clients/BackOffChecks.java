package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Await;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Checks of pauses between attempts, and of permanent refusals. Pure. */
final class BackOffChecks {
    static final String GROUP = "Refusals and back-off";

    /** Longest pause of docs/protocol.md, with some time for rounding. */
    private static final long PAUSE_MAX_MILLIS = 31_000;

    private static final long FIRST_PAUSE_MAX_MILLIS = 1000;
    private static final int RETRY_AFTER_SECONDS = 7;

    private BackOffChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.add(Behaviour.of(
                GROUP, "Clients that lose a server together reconnect at different times", BackOffChecks::spread));
        all.add(Behaviour.of(
                GROUP, "Pauses grow to their bound and stay random over their range", BackOffChecks::growth, "clock"));
        all.addAll(Behaviour.overEachWire(
                GROUP, "A server that refuses gets few attempts", Behaviour.Mode.SHARED, BackOffChecks::rare));
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "The pause begins after the time in Retry-After and is random",
                Behaviour.Mode.SHARED,
                BackOffChecks::retryAfter));
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "A refused token ends the attempts and is reported",
                Behaviour.Mode.SHARED,
                BackOffChecks::refusedForGood));
        all.add(Behaviour.of(
                GROUP, "Each close code leads to the documented reaction", BackOffChecks::closeCodes, "webSocket"));
        all.add(Behaviour.of(
                GROUP, "A server that is not ready is replaced by another one at once", BackOffChecks::notReady));
        all.add(Behaviour.of(
                GROUP,
                "A reconnect event delays the next attempt by its time",
                BackOffChecks::reconnectAsked,
                "webSocket",
                "json"));
        return all;
    }

    private static ScriptedPeer peer(Scene scene, ScriptedPeer.Script script) {
        return scene.closing(new ScriptedPeer(script));
    }

    private static long retryMillis(JsonNode disconnected) {
        return disconnected.path("retryMillis").asLong(-1);
    }

    private static List<Long> firstPauses(Scene scene, Wire wire, ScriptedPeer peer, int clients) {
        List<DrivenClient> all = IntStream.range(0, clients)
                .mapToObj(i -> scene.start(scene.patientPlan(wire, peer.port())))
                .toList();
        List<Long> pauses = all.stream()
                .map(client -> retryMillis(client.awaitState("disconnected")))
                .toList();
        all.forEach(scene::close);
        return pauses;
    }

    static void spread(Scene scene) {
        ScriptedPeer peer = peer(scene, connection -> {});
        int clients = 40;
        List<Long> pauses = firstPauses(scene, scene.anyWire(), peer, clients);
        LongSummaryStatistics range = pauses.stream().mapToLong(pause -> pause).summaryStatistics();
        assertThat(range.getMax()).isLessThanOrEqualTo(FIRST_PAUSE_MAX_MILLIS);
        assertThat(range.getMax() - range.getMin())
                .as("the range of %s", pauses)
                .isGreaterThan(150);
        assertThat(new HashSet<>(pauses)).as("different pauses").hasSizeGreaterThan(clients / 2);
    }

    private static void growth(Scene scene) {
        ScriptedPeer peer = peer(scene, connection -> {});
        int clients = scene.settings().isFull() ? 20 : 8;
        int attempts = 60;
        List<Long> late = new ArrayList<>();
        List<DrivenClient> all = IntStream.range(0, clients)
                .mapToObj(i -> scene.start(
                        scene.patientPlan(scene.anyWire(), peer.port()).put("clock", true)))
                .toList();
        for (int attempt = 1; attempt <= attempts; attempt++) {
            for (DrivenClient client : all) {
                client.awaitStates("disconnected", attempt);
                long pause = retryMillis(client.statuses("disconnected").get(attempt - 1));
                assertThat(pause).isBetween(0L, attempt == 1 ? FIRST_PAUSE_MAX_MILLIS : PAUSE_MAX_MILLIS);
                if (attempt > 12) {
                    late.add(pause);
                }
                client.call(client.command("clock").put("skipMillis", pause + 1));
            }
        }
        LongSummaryStatistics range = late.stream().mapToLong(pause -> pause).summaryStatistics();
        assertThat(range.getAverage()).as("mean pause of many attempts").isBetween(10_000.0, 20_000.0);
        assertThat(range.getMin()).isLessThan(3_000);
        assertThat(range.getMax()).isGreaterThan(27_000);
    }

    /** Without a pause a client makes hundreds of attempts per second. */
    static void rare(Scene scene, Wire wire) {
        ScriptedPeer peer = peer(scene, connection -> {
            connection.readHead();
            connection.refuse("503 Service Unavailable", "overloaded");
        });
        DrivenClient client = scene.start(scene.patientPlan(wire, peer.port()));
        client.subscribe(scene.subject("refused"));
        client.awaitStates("disconnected", 2);
        Scene.pause(3000);
        assertThat(peer.connections()).as("attempts in three seconds").isBetween(2, 15);
        assertThat(client.statuses("refused")).isEmpty();
    }

    private static void retryAfter(Scene scene, Wire wire) {
        ScriptedPeer peer = peer(scene, connection -> {
            connection.readHead();
            connection.refuse("503 Service Unavailable", "overloaded", "Retry-After: " + RETRY_AFTER_SECONDS);
        });
        List<DrivenClient> all = IntStream.range(0, 12)
                .mapToObj(i -> scene.start(scene.patientPlan(wire, peer.port())))
                .toList();
        all.forEach(client -> client.subscribe(scene.subject("busy")));
        List<Long> pauses = all.stream()
                .map(client -> retryMillis(client.awaitState("disconnected")))
                .toList();
        long asked = 1000L * RETRY_AFTER_SECONDS;
        assertThat(pauses).allMatch(pause -> pause >= asked && pause <= asked + PAUSE_MAX_MILLIS);
        assertThat(new HashSet<>(pauses)).as("different pauses").hasSizeGreaterThan(6);
    }

    private static void refusedForGood(Scene scene, Wire wire) {
        // Not the connections: an HTTP library may open one and send nothing over it.
        AtomicInteger requests = new AtomicInteger();
        ScriptedPeer peer = peer(scene, connection -> {
            connection.readHead();
            requests.incrementAndGet();
            connection.refuse("401 Unauthorized", "unauthorized", "WWW-Authenticate: Bearer");
        });
        DrivenClient client = scene.start(scene.plan(wire, peer.port()).put("token", "wrong"));
        try {
            client.subscribe(scene.subject("refused"));
        } catch (DriverProcess.CommandRefused refusedAlready) {
            // The refusal was faster than this command.
        }
        assertThat(client.awaitState("refused").path("code").asText()).isEqualTo("unauthorized");
        // A request that was sent before the refusal arrived may still be on its way.
        Scene.pause(500);
        int attempts = requests.get();
        Scene.pause(1000);
        assertThat(requests).as("attempts").hasValue(attempts).hasValueLessThanOrEqualTo(2);
        assertThat(client.statuses("refused")).hasSize(1);
    }

    private static void closeCodes(Scene scene) {
        for (int code : List.of(1001, 1011, 1013, 4008, 4009, 4010, 4011)) {
            DrivenClient client = closing(scene, code);
            client.awaitStates("connecting", 2);
            assertThat(client.statuses("refused")).as("close code %s", code).isEmpty();
            scene.close(client);
        }
        for (int code : List.of(1002, 1003, 1007, 1008, 1009, 4014)) {
            DrivenClient client = closing(scene, code);
            client.awaitState("refused");
            Scene.pause(250);
            assertThat(client.statuses("connecting")).as("close code %s", code).hasSize(1);
            scene.close(client);
        }
    }

    private static DrivenClient closing(Scene scene, int code) {
        ScriptedPeer peer = peer(scene, connection -> {
            connection.upgrade();
            connection.close(code);
            connection.drain();
        });
        Wire wire = scene.can(Wire.JSON) ? Wire.JSON : Wire.BINARY;
        return scene.start(scene.plan(wire, peer.port()));
    }

    private static void notReady(Scene scene) {
        ScriptedPeer starting = peer(scene, connection -> {
            connection.readHead();
            connection.refuse("503 Service Unavailable", "not-ready", "Retry-After: 600");
        });
        var plan =
                scene.patientPlan(scene.anyWire(), starting.port(), scene.main().port());
        ((ObjectNode) plan.path("servers").path(0)).put("weight", 1_000_000);
        DrivenClient client = scene.start(plan);
        client.subscribe(scene.subject("ready"));
        Await.until(
                "the other server is used", () -> !client.events("subscribed").isEmpty());
        client.statuses("disconnected")
                .forEach(each -> assertThat(retryMillis(each)).isLessThanOrEqualTo(FIRST_PAUSE_MAX_MILLIS));
    }

    private static void reconnectAsked(Scene scene) {
        ScriptedPeer peer = peer(scene, connection -> {
            connection.upgrade();
            connection.text("{\"op\":\"connected\",\"id\":1,\"session\":\"s\",\"node\":\"n\",\"ping\":25000}");
            connection.text("{\"op\":\"reconnect\",\"after\":650,\"reason\":\"drain\"}");
            connection.close(1001);
            connection.drain();
        });
        DrivenClient client = scene.start(scene.patientPlan(Wire.JSON, peer.port()));
        JsonNode disconnected = client.awaitState("disconnected");
        assertThat(retryMillis(disconnected)).isBetween(600L, 650 + FIRST_PAUSE_MAX_MILLIS);
    }
}
