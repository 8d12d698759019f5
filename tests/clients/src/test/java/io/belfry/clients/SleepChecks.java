package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Await;
import io.belfry.integration.StreamWitness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Checks of silence, sleep and connections that died unnoticed. Pure. */
final class SleepChecks {
    private static final String GROUP = "Silence and sleep";
    private static final long HOUR_MILLIS = 3_600_000;

    /** More than two intervals of one second, on a machine that is busy. */
    private static final Duration SOON = Duration.ofSeconds(12);

    private SleepChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(Behaviour.overEachWire(
                        GROUP,
                        "A connection that is silent for two ping intervals is replaced",
                        Behaviour.Mode.SHARED,
                        SleepChecks::silence)
                .stream()
                .map(SleepChecks::withInterval)
                .toList());
        all.addAll(Behaviour.overEachWire(
                GROUP, "A quiet but healthy connection is kept", Behaviour.Mode.SHARED, SleepChecks::quiet));
        all.addAll(Behaviour.overEachStream(
                GROUP,
                "A half-open connection is replaced after two ping intervals that the client requested",
                Behaviour.Mode.SHARED,
                SleepChecks::requestedInterval,
                "ping"));
        all.addAll(Behaviour.overEachStream(
                GROUP,
                "A connection is kept while it is silent for less than the ping interval that the client requested",
                Behaviour.Mode.SHARED,
                SleepChecks::silenceWithinInterval,
                "ping"));
        all.add(Behaviour.of(
                GROUP,
                "With the default interval of 25 s a half-open connection is replaced within a minute",
                SleepChecks::defaultInterval,
                "clock",
                "webSocket"));
        all.add(Behaviour.of(
                GROUP,
                "A healthy connection is kept after a sleep of one hour",
                SleepChecks::healthyAfterSleep,
                "clock"));
        all.add(Behaviour.of(
                GROUP,
                "A connection that broke unnoticed during a sleep of one hour is replaced within seconds",
                SleepChecks::deadAfterSleep,
                "clock"));
        all.add(Behaviour.of(
                GROUP,
                "A client that slept for one hour during the handshake connects",
                SleepChecks::asleepInHandshake,
                "clock"));
        all.add(Behaviour.of(
                GROUP,
                "A client that slept for one hour during a pause tries again at once",
                SleepChecks::asleepInPause,
                "clock"));
        return all;
    }

    /** Over a WebSocket the server announces the interval; over HTTP the application must be able to set a short one. */
    private static Behaviour withInterval(Behaviour behaviour) {
        return behaviour.needs().contains("webSocket") ? behaviour : behaviour.needing(Set.of("ping"));
    }

    private static ObjectNode brisk(Scene scene, Wire wire, int port) {
        ObjectNode plan = scene.plan(wire, port);
        return scene.driver().capabilities().contains("ping") ? plan.put("pingMillis", 1000) : plan;
    }

    private static void silence(Scene scene, Wire wire) {
        Gate gate = scene.gate(scene.brief().port());
        SuitePublisher publisher = scene.publisher(scene.brief());
        DrivenClient client = scene.start(brisk(scene, wire, gate.port()));
        List<String> subjects = List.of(scene.subject("silent"));
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        List<Duration> noticed = new ArrayList<>();
        // A busy machine may have delayed the last answer before the silence, so that the client notices it too early.
        for (int attempt = 0; attempt < 3 && noticed.stream().noneMatch(SleepChecks::isPatient); attempt++) {
            noticed.add(untilDisconnected(gate, client));
            publisher.publish(subjects, 10, 0);
            OrderChecks.awaitEnds(scene, witness);
        }
        assertThat(noticed).anyMatch(SleepChecks::isPatient);
    }

    private static boolean isPatient(Duration silence) {
        return silence.compareTo(Duration.ofMillis(900)) > 0;
    }

    /** Returns the time for which the network was silent until the client gave its connection up. */
    private static Duration untilDisconnected(Gate gate, DrivenClient client) {
        int before = client.statuses("disconnected").size();
        gate.hold(true);
        long start = System.nanoTime();
        Await.until(
                "the silence is noticed",
                SOON,
                () -> client.statuses("disconnected").size() > before);
        Duration silence = Duration.ofNanos(System.nanoTime() - start);
        gate.hold(false);
        return silence;
    }

    /** The server's own interval is 25 s, so server and client must both use the requested one. */
    private static void requestedInterval(Scene scene, Wire wire) {
        List<String> subjects = List.of(scene.subject("requested"));
        Gate gate = scene.gate(scene.main().port());
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client = scene.start(scene.plan(wire, gate.port()).put("pingMillis", 1000));
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        requireConnectionKept(client, 3000);
        untilDisconnected(gate, client);
        publisher.publish(subjects, 5, 0);
        OrderChecks.awaitEnds(scene, witness);
    }

    /** The server's own interval is one second, after two of which both sides would give up. */
    private static void silenceWithinInterval(Scene scene, Wire wire) {
        List<String> subjects = List.of(scene.subject("within"));
        Gate gate = scene.gate(scene.brief().port());
        SuitePublisher publisher = scene.publisher(scene.brief());
        DrivenClient client = scene.start(scene.plan(wire, gate.port()).put("pingMillis", 60_000));
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.hold(true);
        Scene.pause(5000);
        gate.hold(false);
        publisher.publish(subjects, 5, 0);
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.statuses("disconnected")).isEmpty();
    }

    /** The clock skips a little at a time, so that the client does not take a skip for a sleep. */
    private static void defaultInterval(Scene scene) {
        List<String> subjects = List.of(scene.subject("half-open"));
        Gate gate = scene.gate(scene.main().port());
        SuitePublisher publisher = scene.publisher(scene.main());
        Wire wire = scene.can(Wire.JSON) ? Wire.JSON : Wire.BINARY;
        DrivenClient client = scene.start(scene.plan(wire, gate.port()).put("clock", true));
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.hold(true);
        for (int seconds = 1; seconds <= 60; seconds++) {
            client.call(client.command("clock").put("skipMillis", 1000));
            Scene.pause(20);
            if (seconds <= 20) {
                assertThat(client.statuses("disconnected"))
                        .as("after %s s", seconds)
                        .isEmpty();
            }
        }
        Await.until(
                "the silence is noticed",
                SOON,
                () -> !client.statuses("disconnected").isEmpty());
        gate.hold(false);
        publisher.publish(subjects, 5, 0);
        OrderChecks.awaitEnds(scene, witness);
    }

    private static void quiet(Scene scene, Wire wire) {
        String subject = scene.subject("quiet");
        DrivenClient client = scene.start(brisk(scene, wire, scene.brief().port()));
        client.subscribe(subject);
        client.awaitSubscribed(subject);
        requireConnectionKept(client, 4500);
        scene.publisher(scene.brief()).publish(subject, "after silence", false);
        client.awaitMessages(1);
    }

    /**
     * Requires that the connection is kept for this time. A busy machine may delay an answer for longer than the client
     * waits; a client that does not count the answers gives its connection up each time.
     */
    private static void requireConnectionKept(DrivenClient client, long millis) {
        boolean kept = false;
        for (int attempt = 0; attempt < 3 && !kept; attempt++) {
            int before = client.statuses("disconnected").size();
            Scene.pause(millis);
            kept = client.statuses("disconnected").size() == before;
        }
        assertThat(kept).as("connection kept for %s ms", millis).isTrue();
    }

    private static void sleep(DrivenClient client) {
        client.call(client.command("clock").put("skipMillis", HOUR_MILLIS));
    }

    private static void healthyAfterSleep(Scene scene) {
        List<String> subjects = List.of(scene.subject("healthy"));
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client =
                scene.start(scene.plan(scene.anyWire(), scene.main().port()).put("clock", true));
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        for (int i = 0; i < 3; i++) {
            sleep(client);
            publisher.publish(subjects, 5, 0);
            OrderChecks.awaitEnds(scene, witness);
            Scene.pause(800);
        }
        assertThat(client.statuses("disconnected")).isEmpty();
        client.acked(client.publish(scene.subject("own"), "awake"));
    }

    private static void deadAfterSleep(Scene scene) {
        List<String> subjects = List.of(scene.subject("dead"));
        Gate gate = scene.gate(scene.main().port());
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client =
                scene.start(scene.plan(scene.anyWire(), gate.port()).put("clock", true));
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.hold(true);
        sleep(client);
        publisher.publish(subjects, 5, 0);
        Await.until(
                "the dead connection is noticed",
                SOON,
                () -> !client.statuses("disconnected").isEmpty());
        gate.hold(false);
        OrderChecks.awaitEnds(scene, witness);
    }

    private static void asleepInHandshake(Scene scene) {
        List<String> subjects = List.of(scene.subject("handshake"));
        Gate gate = scene.gate(scene.main().port());
        SuitePublisher publisher = scene.publisher(scene.main());
        gate.hold(true);
        DrivenClient client =
                scene.start(scene.plan(scene.anyWire(), gate.port()).put("clock", true));
        client.awaitState("connecting");
        Scene.pause(200);
        sleep(client);
        gate.hold(false);
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        publisher.publish(subjects, 5, 0);
        OrderChecks.awaitEnds(scene, witness);
    }

    private static void asleepInPause(Scene scene) {
        String subject = scene.subject("pause");
        Gate gate = scene.gate(scene.main().port());
        gate.shut();
        DrivenClient client =
                scene.start(scene.patientPlan(scene.anyWire(), gate.port()).put("clock", true));
        client.subscribe(subject);
        for (int i = 1; i <= 8; i++) {
            client.awaitStates("disconnected", i);
            sleep(client);
        }
        client.awaitStates("disconnected", 9);
        gate.open();
        sleep(client);
        client.awaitSubscribed(subject);
    }
}
