package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.Await;
import io.belfry.integration.CuttingProxy;
import io.belfry.integration.NetworkFaults;
import io.belfry.integration.StreamWitness;
import io.belfry.integration.TestServer;
import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Checks of patterns that continue from their positions, new subjects included. Pure. */
final class PatternPositionChecks {
    private static final String GROUP = "Pattern positions";
    private static final String CAPABILITY = "patternPositions";
    private static final int CUTS = 4;
    private static final int MESSAGES = 20;
    private static final int CUT_MILLIS = 500;

    /** Bytes after which each connection of a check ends, less than a tenth of its messages. */
    private static final long SHORT_BYTES = 60_000;

    private static final int SHORT_MESSAGES = 400;
    private static final int SHORT_PADDING = 4000;

    private PatternPositionChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(overEachWire(
                "Connections that end after any byte cost a pattern no message of old and new subjects",
                Behaviour.Mode.LONG,
                PatternPositionChecks::cuts));
        all.addAll(overEachWire(
                "A pattern receives what was published on old and new subjects while its connection was lost",
                Behaviour.Mode.SHARED,
                PatternPositionChecks::lostConnection));
        all.addAll(overWebSocket(
                "A pattern that missed more than one connection can carry continues over several",
                Behaviour.Mode.SHARED,
                PatternPositionChecks::shortConnections));
        all.addAll(overEachWire(
                "A pattern position that was read from one client continues in another one",
                Behaviour.Mode.SHARED,
                PatternPositionChecks::otherClient,
                "callback"));
        all.addAll(overEachWire(
                "A pattern position of a server that lost its history is one gap of the pattern",
                Behaviour.Mode.SHARED,
                PatternPositionChecks::lostHistory));
        all.addAll(overEachWire(
                "A pattern position of another server is one gap of the pattern",
                Behaviour.Mode.SHARED,
                PatternPositionChecks::otherServer,
                "callback"));
        all.addAll(overEachWire(
                "Patterns that overlap receive each message once after cuts",
                Behaviour.Mode.SHARED,
                PatternPositionChecks::overlapping));
        all.addAll(overEachSession(
                "A paused pattern that overlaps another one continues with every message of old and new subjects",
                Behaviour.Mode.SHARED,
                PatternPositionChecks::pausedOverlapping,
                "pause",
                "callback"));
        all.add(Behaviour.of(
                        GROUP,
                        "A malformed pattern position is rejected when it is given",
                        PatternPositionChecks::malformed,
                        CAPABILITY)
                .needing(Wire.BINARY.needs()));
        return all;
    }

    private static List<Behaviour> overEachWire(
            String sentence, Behaviour.Mode mode, Behaviour.WireCheck check, String... alsoNeeds) {
        return Behaviour.overEachWire(GROUP, sentence, mode, check, alsoNeeds).stream()
                .map(each -> each.needing(Set.of(CAPABILITY)))
                .toList();
    }

    /** Returns the checks over the wires on which each pattern is requested from a position of its own. */
    private static List<Behaviour> overEachSession(
            String sentence, Behaviour.Mode mode, Behaviour.WireCheck check, String... alsoNeeds) {
        return overEachWire(sentence, mode, check, alsoNeeds).stream()
                .filter(each ->
                        each.needs().contains("webSocket") || each.needs().contains("longPoll"))
                .toList();
    }

    private static List<Behaviour> overWebSocket(
            String sentence, Behaviour.Mode mode, Behaviour.WireCheck check, String... alsoNeeds) {
        return overEachWire(sentence, mode, check, alsoNeeds).stream()
                .filter(each -> each.needs().contains("webSocket"))
                .toList();
    }

    private static boolean matches(String pattern, String subject) {
        return Subjects.matches(pattern.getBytes(StandardCharsets.UTF_8), subject.getBytes(StandardCharsets.UTF_8));
    }

    /** The number of messages published on each subject, all of them after the patterns were confirmed. */
    static final class Traffic {
        private final Map<String, Integer> published = new HashMap<>();
        private final SuitePublisher publisher;
        private final int messages;

        Traffic(SuitePublisher publisher) {
            this(publisher, MESSAGES);
        }

        /** Publishes so many messages on each subject at a time. */
        Traffic(SuitePublisher publisher, int messages) {
            this.publisher = publisher;
            this.messages = messages;
        }

        /** Publishes on all known subjects and on these, which may be new. */
        void publish(String... subjects) {
            for (String subject : subjects) {
                published.putIfAbsent(subject, 0);
            }
            published.replaceAll((subject, count) -> count + messages);
            for (int i = 0; i < messages; i++) {
                published.keySet().forEach(publisher::publish);
            }
        }

        /** Waits until a subscription, by name or pattern, has the last message of each subject, and requires all. */
        void require(Scene scene, DrivenClient client, StreamWitness witness, String pattern) {
            awaitEnds(scene, witness, pattern);
            Map<String, Integer> wanted = new HashMap<>(published);
            wanted.keySet().removeIf(subject -> !matches(pattern, subject));
            Map<String, Integer> received = new HashMap<>();
            client.messages().stream()
                    .filter(event -> event.path("sub").asText().equals(pattern))
                    .forEach(event -> received.merge(event.path("subject").asText(), 1, Integer::sum));
            assertThat(received).as("messages of " + pattern).isEqualTo(wanted);
        }
    }

    /** Waits until a subscription has the last message of each subject. */
    static void awaitEnds(Scene scene, StreamWitness witness, String pattern) {
        Map<String, Position> ends = new HashMap<>(scene.ledger.ends());
        ends.keySet().removeIf(subject -> !matches(pattern, subject));
        OrderChecks.awaitAll(scene, witness, ends);
        scene.requireNoFault();
    }

    private static void cuts(Scene scene, Wire wire) {
        String root = scene.subject("cuts");
        NetworkFaults network = NetworkFaults.rough(scene.random().nextLong(), CutChecks.STALL_ONE_IN);
        CuttingProxy proxy = scene.proxy(scene.main().port(), network);
        DrivenClient client = scene.start(wire, proxy.port());
        client.keepLittle();
        StreamWitness witness = scene.witness("a pattern");
        client.report(witness);
        client.subscribe(root + "/**");
        client.awaitSubscribed(root + "/**");
        SuitePublisher publisher = scene.publisher(scene.main());
        List<String> subjects = new ArrayList<>();
        Runnable step = () -> {
            subjects.add(root + "/" + subjects.size() + "/größe");
            publisher.publish(subjects, 2 * MESSAGES, 50);
            proxy.cut(sent -> true);
            subjects.add(root + "/" + subjects.size());
            publisher.publish(subjects, 2 * MESSAGES, 50);
            Scene.pause(scene.random().nextInt(CUT_MILLIS));
        };
        CutChecks.until(scene, witness, step, () -> {});
        CutChecks.cutUntilDisconnected(proxy, client);
        network.clear();
        OrderChecks.awaitEnds(scene, witness);
        scene.ledger.settle();
        scene.requireNoFault();
        assertThat(scene.ledger.deliveries()).as("messages delivered").isEqualTo(scene.ledger.acknowledgements());
        assertThat(client.gaps()).isEmpty();
    }

    private static void lostConnection(Scene scene, Wire wire) {
        String root = scene.subject("lost");
        String pattern = root + "/**";
        Gate gate = scene.gate(scene.main().port());
        DrivenClient client = scene.start(wire, gate.port());
        StreamWitness witness = scene.witness("a pattern");
        client.report(witness);
        client.subscribe(pattern);
        client.awaitSubscribed(pattern);
        Traffic traffic = new Traffic(scene.publisher(scene.main()));
        traffic.publish(root + "/a", root + "/b/c");
        traffic.require(scene, client, witness, pattern);
        for (int cut = 1; cut <= CUTS; cut++) {
            gate.shut(client);
            traffic.publish(root + "/new/" + cut);
            gate.open();
            assertThat(client.awaitSubscribed(pattern, cut + 1)).isEqualTo("complete");
            traffic.publish();
            traffic.require(scene, client, witness, pattern);
        }
        assertThat(client.gaps()).isEmpty();
    }

    private static void shortConnections(Scene scene, Wire wire) {
        String root = scene.subject("short");
        String pattern = root + "/*";
        NetworkFaults network = NetworkFaults.calm();
        CuttingProxy proxy = scene.proxy(scene.main().port(), network);
        DrivenClient client = scene.start(wire, proxy.port());
        client.keepLittle();
        StreamWitness witness = scene.witness("a pattern");
        client.report(witness);
        client.subscribe(pattern);
        client.awaitSubscribed(pattern);
        network.endAfter(SHORT_BYTES);
        proxy.cut(sent -> true);
        List<String> subjects =
                IntStream.range(0, MESSAGES).mapToObj(i -> root + "/" + i).toList();
        scene.publisher(scene.main()).publish(subjects, SHORT_MESSAGES, SHORT_PADDING);
        awaitEnds(scene, witness, pattern);
        assertThat(client.gaps()).isEmpty();
        assertThat(client.statuses("disconnected")).hasSizeGreaterThan(CUTS);
    }

    private static DrivenClient followByCallback(Scene scene, Wire wire, TestServer server, String pattern) {
        DrivenClient client = scene.start(wire, server.port());
        client.call(client.command("subscribe").put("subject", pattern).put("face", "callback"));
        client.awaitSubscribed(pattern);
        return client;
    }

    private static void otherClient(Scene scene, Wire wire) {
        String root = scene.subject("stored");
        String pattern = root + "/*";
        SuitePublisher publisher = scene.publisher(scene.main());
        DrivenClient first = followByCallback(scene, wire, scene.main(), pattern);
        StreamWitness before = scene.witness("the first client");
        first.report(before);
        String began = first.patternPosition(pattern);
        assertThat(began).as("position after the confirmation").isNotEmpty();
        publisher.publish(List.of(root + "/a", root + "/b"), 2 * MESSAGES, 0);
        OrderChecks.awaitEnds(scene, before);
        Await.until("a later position", () -> !first.patternPosition(pattern).equals(began));
        String stored = first.patternPosition(pattern);
        assertThat(stored).isNotEmpty();
        Map<String, Position> ends = new HashMap<>(scene.ledger.ends());
        scene.close(first);
        String added = root + "/new";
        List<String> subjects = List.of(root + "/a", root + "/b", added);
        Position firstOfNew = publisher.publish(added);
        publisher.publish(subjects, 3 * MESSAGES, 0);
        DrivenClient second = scene.start(wire, scene.main().port());
        StreamWitness after = scene.witness("the second client");
        second.report(after);
        second.subscribe(pattern, stored);
        assertThat(second.awaitSubscribed(pattern, 1)).isEqualTo("complete");
        publisher.publish(subjects, MESSAGES, 0);
        OrderChecks.awaitEnds(scene, after);
        assertThat(second.gaps()).isEmpty();
        assertThat(firstPosition(second, added)).isEqualTo(firstOfNew);
        ends.forEach((subject, end) -> assertThat(firstPosition(second, subject).seq())
                .as("first position of " + subject)
                .isLessThanOrEqualTo(end.seq() + 1));
    }

    private static Position firstPosition(DrivenClient client, String subject) {
        return client.messages().stream()
                .filter(event -> event.path("subject").asText().equals(subject))
                .map(event -> DrivenClient.position(event, "position"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no message of " + subject));
    }

    private static void requireGapOf(String pattern, JsonNode gap) {
        assertThat(DrivenClient.op(gap)).isEqualTo("gap");
        assertThat(gap.path("sub").asText()).isEqualTo(pattern);
        assertThat(gap.path("subject").asText()).isEqualTo(pattern);
        assertThat(gap.path("reason").asText()).isEqualTo("epoch-changed");
        assertThat(gap.has("from") || gap.has("to")).as("bounds of the gap").isFalse();
    }

    private static void lostHistory(Scene scene, Wire wire) {
        String root = scene.subject("restart");
        String pattern = root + "/*";
        DrivenClient client;
        int port;
        try (TestServer first = TestServer.start()) {
            port = first.port();
            client = scene.start(wire, port);
            client.subscribe(pattern);
            client.awaitSubscribed(pattern);
            try (SuitePublisher publisher = new SuitePublisher(first, 0, scene.ledger, scene.random())) {
                publisher.publish(root + "/a", "before", false);
            }
            client.awaitMessages(1);
        }
        TestServer second = scene.closing(TestServer.start("Listen=127.0.0.1:" + port));
        assertThat(client.awaitSubscribed(pattern, 2)).isEqualTo("gap");
        SuitePublisher publisher = scene.publisher(second);
        publisher.publish(root + "/a", "after", false);
        // A pattern has no order among different subjects.
        client.awaitMessages(3);
        publisher.publish(root + "/new", "new", false);
        List<JsonNode> received = client.awaitMessages(4);
        assertThat(received).extracting(DrivenClient::op).containsExactly("message", "gap", "message", "message");
        requireGapOf(pattern, received.get(1));
        assertThat(client.texts()).containsExactly("before", "after", "new");
    }

    private static void otherServer(Scene scene, Wire wire) {
        String root = scene.subject("other");
        String pattern = root + "/*";
        DrivenClient first = followByCallback(scene, wire, scene.main(), pattern);
        String ofMain = first.patternPosition(pattern);
        assertThat(ofMain).isNotEmpty();
        DrivenClient second = scene.start(wire, scene.brief().port());
        second.subscribe(pattern, ofMain);
        assertThat(second.awaitSubscribed(pattern, 1)).isEqualTo("gap");
        SuitePublisher publisher = scene.publisher(scene.brief());
        publisher.publish(root + "/a", "one", false);
        publisher.publish(root + "/a", "two", false);
        List<JsonNode> received = second.awaitMessages(3);
        assertThat(received).extracting(DrivenClient::op).containsExactly("gap", "message", "message");
        requireGapOf(pattern, received.getFirst());
        assertThat(second.texts()).containsExactly("one", "two");
    }

    private static void overlapping(Scene scene, Wire wire) {
        String root = scene.subject("overlap");
        List<String> patterns = List.of(root + "/**", root + "/*/x", root + "/a/*");
        Gate gate = scene.gate(scene.main().port());
        // The first connection requests all patterns together, because a stream over HTTP has one position for all.
        gate.shut();
        DrivenClient client = scene.start(wire, gate.port());
        Map<String, StreamWitness> witnesses = new HashMap<>();
        for (String pattern : patterns) {
            StreamWitness witness = scene.witness("the pattern " + pattern);
            witnesses.put(pattern, witness);
            client.report(witness, pattern);
            client.subscribe(pattern);
        }
        gate.open();
        patterns.forEach(client::awaitSubscribed);
        Traffic traffic = new Traffic(scene.publisher(scene.main()));
        traffic.publish(root + "/a/x", root + "/b/x", root + "/a/y", root + "/c");
        for (int cut = 1; cut <= CUTS; cut++) {
            gate.shut(client);
            traffic.publish(root + "/" + cut + "/x", root + "/a/" + cut);
            gate.open();
            // Some messages are published while the patterns recover.
            traffic.publish(root + "/a/during" + cut);
            int confirmations = cut + 1;
            patterns.forEach(pattern ->
                    assertThat(client.awaitSubscribed(pattern, confirmations)).isEqualTo("complete"));
            witnesses.forEach((pattern, witness) -> traffic.require(scene, client, witness, pattern));
        }
        assertThat(client.gaps()).isEmpty();
    }

    private static void pausedOverlapping(Scene scene, Wire wire) {
        String root = scene.subject("paused");
        String paused = root + "/a/*";
        Gate gate = scene.gate(scene.main().port());
        DrivenClient client = scene.start(wire, gate.port());
        Map<String, StreamWitness> witnesses = new HashMap<>();
        for (String pattern : List.of(root + "/**", paused)) {
            StreamWitness witness = scene.witness("the pattern " + pattern);
            witnesses.put(pattern, witness);
            client.report(witness, pattern);
            client.call(client.command("subscribe").put("subject", pattern).put("face", "callback"));
            client.awaitSubscribed(pattern);
        }
        Traffic traffic = new Traffic(scene.publisher(scene.main()));
        traffic.publish(root + "/a/x", root + "/b/x");
        for (int pause = 1; pause <= CUTS; pause++) {
            witnesses.forEach((pattern, witness) -> traffic.require(scene, client, witness, pattern));
            client.call(client.command("pause").put("subject", paused));
            Scene.pause(100);
            traffic.publish(root + "/a/during" + pause);
            if (pause % 2 == 0) {
                gate.cut();
            }
            client.call(client.command("resume").put("subject", paused));
            traffic.publish(root + "/a/after" + pause);
        }
        witnesses.forEach((pattern, witness) -> traffic.require(scene, client, witness, pattern));
        assertThat(client.gaps()).isEmpty();
    }

    private static void malformed(Scene scene) {
        DrivenClient client = scene.start(Wire.BINARY, scene.main().port());
        String pattern = scene.subject("malformed") + "/*";
        for (String text : List.of("7:42", "AQAA=", "A", "not base64!", "A".repeat(1028))) {
            assertThatThrownBy(() -> client.subscribe(pattern, text))
                    .as(text)
                    .isInstanceOf(DriverProcess.CommandRefused.class);
        }
        assertThatThrownBy(() -> client.subscribe(scene.subject("malformed"), "AQAA"))
                .isInstanceOf(DriverProcess.CommandRefused.class);
    }
}
