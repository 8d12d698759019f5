package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Await;
import io.belfry.integration.CuttingProxy;
import io.belfry.integration.NetworkFaults;
import io.belfry.integration.RepeatingPublisher;
import io.belfry.integration.StreamWitness;
import io.belfry.protocol.Position;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Checks of applications that are slower than their messages. Pure. */
final class PauseChecks {
    private static final String GROUP = "Slow applications";
    private static final int BUFFER = 100;

    /** Large messages fill memory with little work. */
    private static final int PADDING = 20_000;

    /** Twice the characters published to a paused client: many times the memory that it may use for them. */
    private static final int PAUSED_CHARACTERS = 1_000_000_000;

    private static final long GROWTH_BYTES_MAX = 12 << 20;

    private PauseChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "A paused subscription continues with every message of the history",
                Behaviour.Mode.SHARED,
                (scene, wire) -> complete(scene, wire, "callback"),
                "pause",
                "callback"));
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "An iterator that was not read continues with every message of the history",
                Behaviour.Mode.SHARED,
                (scene, wire) -> complete(scene, wire, "iterator"),
                "iterator",
                "pause"));
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "Pauses during cuts cause no loss, duplicate or disorder",
                Behaviour.Mode.LONG,
                PauseChecks::cuts,
                "pause"));
        all.add(Behaviour.of(
                GROUP, "Messages that left the history during a pause are a gap", PauseChecks::gap, "pause"));
        all.add(Behaviour.of(
                GROUP, "A pause of one subscription does not delay another one", PauseChecks::others, "pause"));
        all.add(Behaviour.of(
                GROUP,
                "A paused pattern continues with every message of its known subjects",
                PauseChecks::pattern,
                "pause",
                "patterns"));
        all.add(Behaviour.of(
                        GROUP,
                        "The memory of a paused client stays bounded while messages pass",
                        scene -> memory(scene, ""),
                        "pause",
                        "resources")
                .in(Behaviour.Mode.ALONE));
        all.add(Behaviour.of(
                        GROUP,
                        "The memory of an iterator that is not read stays bounded while messages pass",
                        scene -> memory(scene, "iterator"),
                        "iterator",
                        "resources")
                .in(Behaviour.Mode.ALONE));
        return all;
    }

    private static StreamWitness follow(
            Scene scene, DrivenClient client, SuitePublisher publisher, String subject, String face) {
        StreamWitness witness =
                scene.witness("pausing", (each, reason) -> !reason.isEmpty() && subject.contains("gap"), false);
        client.report(witness);
        Position first = publisher.publish(subject);
        witness.startAt(subject, first);
        ObjectNode command = client.command("subscribe")
                .put("subject", subject)
                .put("from", first.toString())
                .put("bufferCount", BUFFER);
        client.call(face.isEmpty() ? command : command.put("face", face));
        client.awaitSubscribed(subject);
        return witness;
    }

    private static void send(DrivenClient client, String op, String subject) {
        client.call(client.command(op).put("subject", subject));
    }

    private static void complete(Scene scene, Wire wire, String face) {
        String subject = scene.subject("paused");
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client = scene.start(wire, scene.main().port());
        StreamWitness witness = follow(scene, client, publisher, subject, face);
        for (int i = 0; i < 3; i++) {
            publisher.publish(List.of(subject), 20, 100);
            send(client, "pause", subject);
            int delivered = client.messages().size();
            publisher.publish(List.of(subject), 10 * BUFFER, 100);
            Scene.pause(200);
            assertThat(client.messages().size()).as("messages during the pause").isLessThanOrEqualTo(delivered + 1);
            send(client, "resume", subject);
            OrderChecks.awaitEnds(scene, witness);
        }
        assertThat(client.gaps()).isEmpty();
    }

    private static void cuts(Scene scene, Wire wire) {
        NetworkFaults network = NetworkFaults.rough(scene.random().nextLong(), CutChecks.STALL_ONE_IN);
        CuttingProxy proxy = scene.proxy(scene.main().port(), network);
        DrivenClient client = scene.start(wire, proxy.port());
        List<String> subjects = OrderChecks.subjects(scene);
        StreamWitness witness = CutChecks.followEndlessly(scene, client, subjects);
        RepeatingPublisher publishing = scene.publishRandomly(scene.main(), 1, subjects, witness);
        Random random = scene.random();
        Set<String> paused = new HashSet<>();
        Runnable step = () -> {
            Scene.pause(random.nextInt(300));
            String subject = subjects.get(random.nextInt(subjects.size()));
            if (random.nextInt(4) == 0) {
                proxy.cut(sent -> true);
            } else if (paused.remove(subject)) {
                send(client, "resume", subject);
            } else {
                paused.add(subject);
                send(client, "pause", subject);
            }
        };
        CutChecks.until(scene, witness, step, () -> {
            paused.forEach(subject -> send(client, "resume", subject));
            paused.clear();
        });
        CutChecks.settle(scene, network, publishing, witness);
        assertThat(client.gaps()).isEmpty();
    }

    private static void gap(Scene scene) {
        String subject = scene.subject("gap");
        SuitePublisher publisher = scene.publisher(scene.brief());
        DrivenClient client = scene.start(scene.anyWire(), scene.brief().port());
        StreamWitness witness = follow(scene, client, publisher, subject, "");
        publisher.publish(List.of(subject), 20, 100);
        OrderChecks.awaitEnds(scene, witness);
        send(client, "pause", subject);
        // More than the kernel, the server and the client hold together.
        publisher.publish(List.of(subject), 2500, PADDING);
        send(client, "resume", subject);
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isNotEmpty();
    }

    private static void pattern(Scene scene) {
        String root = scene.subject("pattern");
        List<String> subjects = List.of(root + "/a", root + "/b");
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        StreamWitness witness = scene.witness("a paused pattern");
        client.report(witness);
        client.call(client.command("subscribe").put("subject", root + "/*").put("bufferCount", BUFFER));
        client.awaitSubscribed(root + "/*");
        for (int i = 0; i < 3; i++) {
            publisher.publish(subjects, 50, 100);
            OrderChecks.awaitEnds(scene, witness);
            send(client, "pause", root + "/*");
            publisher.publish(subjects, 3 * BUFFER, 100);
            send(client, "resume", root + "/*");
            OrderChecks.awaitEnds(scene, witness);
        }
    }

    private static void others(Scene scene) {
        String paused = scene.subject("paused");
        String other = scene.subject("other");
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, List.of(other));
        client.call(client.command("subscribe").put("subject", paused).put("bufferCount", BUFFER));
        client.awaitSubscribed(paused);
        send(client, "pause", paused);
        for (int i = 0; i < 5; i++) {
            publisher.publish(List.of(paused), 3 * BUFFER, 500);
            publisher.publish(List.of(other), 10, 0);
            Position end = publisher.publish(other);
            Await.until("the other subscription continues", () -> witness.hasReached(other, end));
        }
        send(client, "resume", paused);
        OrderChecks.awaitEnds(scene, witness(scene, client, witness, paused));
    }

    /** The paused subject is checked by its number of messages, because its first position is not known. */
    private static StreamWitness witness(Scene scene, DrivenClient client, StreamWitness witness, String paused) {
        Await.until(
                "the paused subscription has every message",
                () -> client.messages().stream()
                                .filter(event -> event.path("sub").asText().equals(paused))
                                .count()
                        == 15L * BUFFER);
        scene.requireNoFault();
        return witness;
    }

    private static long memoryBytes(Scene scene) {
        return scene.driver()
                .call(DriverProcess.JSON.createObjectNode().put("op", "resources"))
                .path("memoryBytes")
                .asLong();
    }

    private static void memory(Scene scene, String face) {
        String subject = scene.subject("gap/memory");
        SuitePublisher publisher = scene.publisher(scene.brief());
        DrivenClient client = scene.start(scene.anyWire(), scene.brief().port());
        client.keepLittle();
        StreamWitness witness = follow(scene, client, publisher, subject, face);
        publisher.publish(List.of(subject), 100, PADDING);
        OrderChecks.awaitEnds(scene, witness);
        send(client, "pause", subject);
        long before = memoryBytes(scene);
        int count = scene.settings().pausedMessages();
        publisher.publish(List.of(subject), count, Math.min(PADDING, PAUSED_CHARACTERS / count));
        long growth = memoryBytes(scene) - before;
        assertThat(growth).as("growth of memory in bytes").isLessThan(GROWTH_BYTES_MAX);
        send(client, "resume", subject);
        OrderChecks.awaitEnds(scene, witness);
    }
}
