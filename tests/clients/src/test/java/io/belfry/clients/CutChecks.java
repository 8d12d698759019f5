package io.belfry.clients;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Await;
import io.belfry.integration.CuttingProxy;
import io.belfry.integration.NetworkFaults;
import io.belfry.integration.RepeatingPublisher;
import io.belfry.integration.StreamWitness;
import io.belfry.integration.TestServer;
import io.belfry.protocol.Position;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Checks of recovery after connections that end anywhere. Pure. */
final class CutChecks {
    private static final String GROUP = "Recovery";

    /** Connections practically never stall: a stall would only make a run longer. */
    static final int STALL_ONE_IN = 10_000_000;

    private static final int CUT_MILLIS = 1500;

    private CutChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "Connections that end after any byte cause no loss, duplicate or disorder",
                Behaviour.Mode.LONG,
                CutChecks::cuts));
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "Subscriptions that end and begin during cuts receive every message",
                Behaviour.Mode.LONG,
                CutChecks::changes));
        all.add(Behaviour.of(
                GROUP, "Messages that left the history are a gap with its bounds", CutChecks::historyGone));
        all.add(Behaviour.of(GROUP, "A server that lost its history is a gap between epochs", CutChecks::epochChanged));
        all.add(Behaviour.of(
                GROUP,
                "A client that resumes over another transport receives every message",
                CutChecks::otherTransport));
        all.add(Behaviour.of(
                GROUP,
                "A client that resumes on another node of a cluster receives every message",
                CutChecks::otherNode));
        return all;
    }

    /** Follows subjects without keeping their messages, for runs of any length. */
    static StreamWitness followEndlessly(Scene scene, DrivenClient client, List<String> subjects) {
        client.keepLittle();
        return OrderChecks.follow(scene, client, scene.publisher(scene.main()), subjects);
    }

    /**
     * Repeats a step until the time is over or a fault was found. {@code calm} lets the follower receive everything: at the
     * end, and before a pause if the follower is far behind.
     */
    static void until(Scene scene, StreamWitness follower, Runnable step, Runnable calm) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(scene.settings().randomSeconds());
        while (System.nanoTime() - end < 0 && scene.faults.count() == 0) {
            if (scene.isFarBehind(follower)) {
                calm.run();
                Scene.pause(CUT_MILLIS);
            } else {
                step.run();
            }
        }
        calm.run();
    }

    /** Cuts connections until one cut ends a session or a request; some clients repeat a request once. */
    static void cutUntilDisconnected(CuttingProxy proxy, DrivenClient client) {
        Await.until("a cut that ends a session or a request", () -> {
            proxy.cut(sent -> true);
            return !client.statuses("disconnected").isEmpty();
        });
    }

    static void settle(Scene scene, NetworkFaults network, RepeatingPublisher publishing, StreamWitness witness) {
        network.clear();
        publishing.finish();
        Await.until("every publish is acknowledged", publishing::isFinished);
        OrderChecks.awaitEnds(scene, witness);
        scene.ledger.settle();
        scene.requireNoFault();
    }

    private static void cuts(Scene scene, Wire wire) {
        cuts(scene, scene.plan(wire));
    }

    /** Cuts the connections of a client with these options, to which the server is added. */
    static void cuts(Scene scene, ObjectNode plan) {
        NetworkFaults network = NetworkFaults.rough(scene.random().nextLong(), STALL_ONE_IN);
        CuttingProxy proxy = scene.proxy(scene.main().port(), network);
        DrivenClient client = scene.start(Scene.withServers(plan, proxy.port()));
        List<String> subjects = OrderChecks.subjects(scene);
        StreamWitness witness = followEndlessly(scene, client, subjects);
        RepeatingPublisher publishing = scene.publishRandomly(scene.main(), 1, subjects, witness);
        Runnable step = () -> {
            Scene.pause(scene.random().nextInt(CUT_MILLIS));
            proxy.cut(sent -> true);
        };
        until(scene, witness, step, () -> {});
        cutUntilDisconnected(proxy, client);
        settle(scene, network, publishing, witness);
        assertThat(client.gaps()).isEmpty();
    }

    /** Changes the set of subscriptions at random; each later subscription begins at the last position of the one before. */
    private static void changes(Scene scene, Wire wire) {
        NetworkFaults network = NetworkFaults.rough(scene.random().nextLong(), STALL_ONE_IN);
        CuttingProxy proxy = scene.proxy(scene.main().port(), network);
        DrivenClient client = scene.start(wire, proxy.port());
        List<String> subjects = OrderChecks.subjects(scene);
        StreamWitness witness = followEndlessly(scene, client, subjects);
        Set<String> ended = ConcurrentHashMap.newKeySet();
        client.alsoObserve(event -> {
            if (ended.contains(event.path("sub").asText())) {
                scene.faults.add(client.toString(), "an event after the answer to unsubscribe: " + event);
            }
        });
        RepeatingPublisher publishing = scene.publishRandomly(scene.main(), 1, subjects, witness);
        Random random = scene.random();
        Runnable step = () -> {
            Scene.pause(random.nextInt(CUT_MILLIS / 3));
            String subject = subjects.get(random.nextInt(subjects.size()));
            if (random.nextInt(4) == 0) {
                proxy.cut(sent -> true);
            } else if (ended.contains(subject)) {
                begin(client, subject, witness, ended);
            } else {
                client.unsubscribe(subject);
                ended.add(subject);
            }
        };
        until(
                scene,
                witness,
                step,
                () -> new HashSet<>(ended).forEach(subject -> begin(client, subject, witness, ended)));
        settle(scene, network, publishing, witness);
    }

    private static void begin(DrivenClient client, String subject, StreamWitness witness, Set<String> ended) {
        Position from = witness.at(subject);
        ended.remove(subject);
        client.subscribe(subject, requireNonNull(from));
    }

    private static void historyGone(Scene scene) {
        String subject = scene.subject("gone");
        Gate gate = scene.gate(scene.brief().port());
        SuitePublisher publisher = scene.publisher(scene.brief());
        DrivenClient client = scene.start(scene.anyWire(), gate.port());
        StreamWitness witness = scene.witness("resuming", (each, reason) -> reason.equals("history-gone"), false);
        client.report(witness);
        Position first = publisher.publish(subject);
        witness.startAt(subject, first);
        client.subscribe(subject, first);
        client.awaitSubscribed(subject);
        publisher.publish(List.of(subject), 5, 0);
        OrderChecks.awaitEnds(scene, witness);
        gate.shut();
        publisher.publish(List.of(subject), 3 * SuiteServers.BRIEF_MESSAGES, 0);
        gate.open();
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).hasSize(1);
        assertThat(client.texts()).hasSizeBetween(SuiteServers.BRIEF_MESSAGES, 2 * SuiteServers.BRIEF_MESSAGES);
    }

    private static void epochChanged(Scene scene) {
        String subject = scene.subject("epoch");
        DrivenClient client;
        Position before;
        int port;
        try (TestServer first = TestServer.start()) {
            port = first.port();
            client = scene.start(scene.anyWire(), port);
            client.subscribe(subject);
            client.awaitSubscribed(subject);
            try (SuitePublisher publisher = new SuitePublisher(first, 0, scene.ledger, scene.random())) {
                before = publisher.publish(subject, "before", false);
            }
            client.awaitMessages(1);
        }
        TestServer second = scene.closing(TestServer.start("Listen=127.0.0.1:" + port));
        client.awaitMessages(2);
        scene.publisher(second).publish(subject, "after", false);
        client.awaitMessages(3);
        assertThat(client.messages()).extracting(DrivenClient::op).containsExactly("message", "gap", "message");
        assertThat(client.gaps().getFirst().path("reason").asText()).isEqualTo("epoch-changed");
        assertThat(DrivenClient.position(client.gaps().getFirst(), "from")).isEqualTo(before);
        assertThat(client.texts()).containsExactly("before", "after");
    }

    private static void otherTransport(Scene scene) {
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(scene.main());
        StreamWitness witness = scene.witness("changing transports");
        subjects.forEach(subject -> witness.startAt(subject, publisher.publish(subject)));
        List<Wire> wires = new ArrayList<>(scene.wires());
        Collections.shuffle(wires, scene.random());
        wires.addAll(List.copyOf(wires));
        for (Wire wire : wires) {
            DrivenClient client = scene.start(wire, scene.main().port());
            client.report(witness);
            subjects.forEach(subject -> client.subscribe(subject, requireNonNull(witness.at(subject))));
            publisher.publish(subjects, 50, 100);
            client.awaitMessages(1 + scene.random().nextInt(50));
            scene.close(client);
            publisher.publish(subjects, 20, 100);
        }
        DrivenClient last = scene.start(scene.anyWire(), scene.main().port());
        last.report(witness);
        subjects.forEach(subject -> last.subscribe(subject, requireNonNull(witness.at(subject))));
        OrderChecks.awaitEnds(scene, witness);
    }

    private static void otherNode(Scene scene) {
        List<TestServer> nodes = scene.cluster();
        List<String> subjects = OrderChecks.subjects(scene);
        List<Gate> gates = nodes.stream().map(node -> scene.gate(node.port())).toList();
        DrivenClient client =
                scene.start(scene.anyWire(), gates.get(0).port(), gates.get(1).port());
        SuitePublisher publisher = scene.publisher(nodes.getFirst());
        StreamWitness witness = scene.witness(client.toString());
        witness.acceptHolesInSeqs();
        OrderChecks.follow(witness, client, publisher, subjects);
        for (int i = 0; i < 4; i++) {
            Gate used = gates.get(0).openLines() > 0 ? gates.get(0) : gates.get(1);
            Gate other = gates.get(0).equals(used) ? gates.get(1) : gates.get(0);
            used.shut();
            publisher.publish(subjects, 20, 0);
            Await.until("a connection to the other node", () -> other.openLines() > 0);
            OrderChecks.awaitEnds(scene, witness);
            used.open();
        }
        assertThat(client.gaps()).isEmpty();
    }
}
