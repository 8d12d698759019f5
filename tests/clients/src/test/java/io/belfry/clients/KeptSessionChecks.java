package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Await;
import io.belfry.integration.Http;
import io.belfry.integration.StreamWitness;
import io.belfry.integration.TestServer;
import io.belfry.protocol.Position;
import java.util.ArrayList;
import java.util.List;

/** Checks of sessions that the server keeps after a lost connection. Pure. */
final class KeptSessionChecks {
    private static final String GROUP = "Kept sessions";
    private static final String CAPABILITY = "keepSession";
    private static final int RETURNS = 3;
    private static final int MESSAGES = 20;

    private KeptSessionChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(overWebSocket(
                "A client that returns continues its session with one command and receives every message",
                Behaviour.Mode.SHARED,
                KeptSessionChecks::continues));
        all.addAll(overWebSocket(
                "Connections that end after any byte cause no loss in a kept session",
                Behaviour.Mode.LONG,
                (scene, wire) -> CutChecks.cuts(scene, keeping(scene.plan(wire)))));
        all.add(Behaviour.of(
                GROUP,
                "A client that returns after its session has ended receives every message",
                KeptSessionChecks::ended,
                CAPABILITY));
        all.add(Behaviour.of(
                GROUP,
                "Subscriptions that change while the connection is lost receive every message",
                KeptSessionChecks::changed,
                CAPABILITY));
        all.add(Behaviour.of(
                GROUP,
                "No session is kept for a client that did not ask for it",
                KeptSessionChecks::notAsked,
                "webSocket"));
        return all;
    }

    private static List<Behaviour> overWebSocket(String sentence, Behaviour.Mode mode, Behaviour.WireCheck check) {
        return Behaviour.overEachWire(GROUP, sentence, mode, check, CAPABILITY).stream()
                .filter(each -> each.needs().contains("webSocket"))
                .toList();
    }

    private static ObjectNode keeping(ObjectNode plan) {
        return plan.put(CAPABILITY, true);
    }

    /** A server whose metrics the check reads. */
    private record Measured(TestServer server, Http monitor) implements AutoCloseable {
        static Measured start(String... settings) {
            List<String> all = new ArrayList<>(List.of(
                    "CacheSize=10000",
                    "Monitor=HTTP",
                    "MonitorHTTP.Listen=127.0.0.1:0",
                    "MonitorHTTP.Authentication=false"));
            all.addAll(List.of(settings));
            TestServer server = TestServer.start(all.toArray(String[]::new));
            return new Measured(server, Http.to(server.monitorHttpPort()));
        }

        int metric(String name) {
            return monitor.get("/metrics")
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToInt(line -> (int) Double.parseDouble(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no metric " + name));
        }

        void await(String name, int value) {
            Await.until(name + " is " + value, () -> metric(name) == value);
        }

        @Override
        public void close() {
            monitor.close();
            server.close();
        }
    }

    private static void continues(Scene scene, Wire wire) {
        Measured measured = scene.closing(Measured.start());
        Gate gate = scene.gate(measured.server().port());
        DrivenClient client = scene.start(keeping(scene.plan(wire, gate.port())));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(measured.server());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        for (int returns = 1; returns <= RETURNS; returns++) {
            gate.shut();
            publisher.publish(subjects, MESSAGES, 0);
            gate.open();
            measured.await("belfry_sessions_resumed_total", returns);
            OrderChecks.awaitEnds(scene, witness);
        }
        assertThat(client.gaps()).isEmpty();
        assertThat(measured.metric("belfry_sessions_not_resumed_total")).isZero();
        // The lane of the lost connection ends its session after the return is counted.
        measured.await("belfry_detached_sessions", 0);
        measured.await("belfry_subscriptions", subjects.size());
    }

    private static void ended(Scene scene) {
        Measured measured = scene.closing(Measured.start("Session.DetachedTime=100 ms"));
        Gate gate = scene.gate(measured.server().port());
        DrivenClient client = scene.start(keeping(scene.plan(scene.anyWire(), gate.port())));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(measured.server());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.shut();
        measured.await("belfry_detached_sessions_ended_total", 1);
        publisher.publish(subjects, MESSAGES, 0);
        gate.open();
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
        assertThat(measured.metric("belfry_sessions_resumed_total")).isZero();
    }

    private static void changed(Scene scene) {
        Gate gate = scene.gate(scene.main().port());
        DrivenClient client = scene.start(keeping(scene.plan(scene.anyWire(), gate.port())));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(scene.main());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        String left = subjects.getFirst();
        String added = scene.subject("added");
        OrderChecks.awaitEnds(scene, witness);
        gate.shut();
        client.unsubscribe(left);
        Position first = publisher.publish(added);
        witness.startAt(added, first);
        client.subscribe(added, first);
        publisher.publish(subjects.subList(1, subjects.size()), MESSAGES, 0);
        publisher.publish(List.of(added), MESSAGES, 0);
        gate.open();
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
    }

    private static void notAsked(Scene scene) {
        Measured measured = scene.closing(Measured.start());
        Gate gate = scene.gate(measured.server().port());
        DrivenClient client = scene.start(scene.plan(scene.anyWire(), gate.port()));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(measured.server());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.shut();
        measured.await("belfry_subscriptions", 0);
        assertThat(measured.metric("belfry_detached_sessions")).isZero();
        publisher.publish(subjects, MESSAGES, 0);
        gate.open();
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
        assertThat(measured.metric("belfry_sessions_resumed_total")).isZero();
        assertThat(measured.metric("belfry_sessions_not_resumed_total")).isZero();
    }
}
