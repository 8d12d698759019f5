package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Jwts;
import io.belfry.integration.TestServer;
import io.belfry.protocol.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Checks of publishes without echo: the client that publishes omits the message, and all others receive it. Pure. */
final class EchoChecks {
    private static final String GROUP = "Publishes without echo";
    private static final String CAPABILITY = "noEcho";
    private static final String QUIET = "quiet";
    private static final int CUTS = 4;
    private static final int MESSAGES_PER_CUT = 6;

    private EchoChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>(Behaviour.overEachWire(
                GROUP,
                "A client omits its own message, and another client receives it",
                Behaviour.Mode.SHARED,
                EchoChecks::omitted,
                CAPABILITY));
        all.add(of("A pattern omits the client's own messages", EchoChecks::ofPattern)
                .needing(Set.of("patterns")));
        all.add(of("Two clients of one user receive each other's messages", EchoChecks::ofOneUser));
        all.add(of("A new connection omits messages that the client published on an earlier one", EchoChecks::resumed));
        all.add(of(
                "Over lost connections a client receives all messages but its own without echo",
                scene -> overCuts(scene, false)));
        all.add(of("A kept session omits the client's own messages", scene -> overCuts(scene, true))
                .needing(Set.of("keepSession")));
        all.add(of("Messages that a client requests include its own", EchoChecks::requested)
                .needing(Set.of("history")));
        all.add(of("Nodes of a cluster omit a client's messages for this client alone", EchoChecks::betweenNodes));
        return all;
    }

    private static Behaviour of(String sentence, Behaviour.Check check) {
        return Behaviour.of(GROUP, sentence, check, CAPABILITY);
    }

    private static ObjectNode quiet(DrivenClient client, String subject, String text) {
        return client.command("publish")
                .put("subject", subject)
                .put("text", text)
                .put("noEcho", true);
    }

    private static Position publishQuietly(DrivenClient client, String subject, String text) {
        return client.acked(client.publish(quiet(client, subject, text)));
    }

    private static DrivenClient follow(Scene scene, ObjectNode plan, String subject) {
        DrivenClient client = scene.start(plan);
        client.subscribe(subject);
        client.awaitSubscribed(subject);
        return client;
    }

    /** Both clients publish; each receives the message of the other one, and what was published with echo. */
    private static void exchange(DrivenClient one, DrivenClient other, String subject) {
        publishQuietly(one, subject, QUIET + " of one");
        publishQuietly(other, subject, QUIET + " of other");
        one.acked(one.publish(subject, "loud"));
        List<JsonNode> received = other.awaitMessages(2);
        one.awaitMessages(2);
        assertThat(one.texts()).containsExactly(QUIET + " of other", "loud");
        assertThat(other.texts()).containsExactly(QUIET + " of one", "loud");
        assertThat(received.getFirst().path("headers").path("$origin").asText()).hasSize(16);
        assertThat(received.getLast().path("headers")).isEmpty();
    }

    private static void omitted(Scene scene, Wire wire) {
        String subject = scene.subject("room");
        int port = scene.main().port();
        exchange(
                follow(scene, scene.plan(wire, port), subject),
                follow(scene, scene.plan(wire, port), subject),
                subject);
    }

    private static void ofPattern(Scene scene) {
        int port = scene.main().port();
        String pattern = scene.subject("rooms/*");
        exchange(
                follow(scene, scene.plan(scene.anyWire(), port), pattern),
                follow(scene, scene.plan(scene.anyWire(), port), pattern),
                scene.subject("rooms/7"));
    }

    private static void ofOneUser(Scene scene) {
        String claims = Jwts.claims(600, "{\"all\":[\"/**\"]}").replaceFirst("\\{", "{\"sub\":\"ann\",");
        ObjectNode plan = scene.plan(scene.anyWire(), scene.guarded().port()).put("token", Jwts.hs256(claims));
        String subject = scene.subject("room");
        exchange(follow(scene, plan.deepCopy(), subject), follow(scene, plan.deepCopy(), subject), subject);
    }

    private static void resumed(Scene scene) {
        String subject = scene.subject("room");
        int port = scene.main().port();
        Gate gate = scene.gate(port);
        DrivenClient client = scene.start(scene.anyWire(), gate.port());
        Position before = client.acked(client.publish(subject, "before"));
        publishQuietly(client, subject, QUIET);
        gate.cut();
        client.awaitStates("connected", 2);
        publishQuietly(client, subject, QUIET + " again");
        DrivenClient other = scene.start(scene.anyWire(), port);
        other.acked(other.publish(subject, "of other"));
        client.subscribe(subject, before);
        client.awaitMessages(1);
        client.acked(client.publish(subject, "loud"));
        client.awaitMessages(2);
        assertThat(client.texts()).containsExactly("of other", "loud");
        assertThat(client.gaps()).isEmpty();
    }

    private static void overCuts(Scene scene, boolean kept) {
        String subject = scene.subject("room");
        int port = scene.main().port();
        Gate gate = scene.gate(port);
        Wire wire = !kept ? scene.anyWire() : scene.can(Wire.BINARY) ? Wire.BINARY : Wire.JSON;
        DrivenClient other = follow(scene, scene.plan(scene.anyWire(), port), subject);
        DrivenClient client = follow(scene, scene.plan(wire, gate.port()).put("keepSession", kept), subject);
        List<Long> published = new ArrayList<>();
        for (int cut = 0; cut < CUTS; cut++) {
            for (int i = 0; i < MESSAGES_PER_CUT; i++) {
                String text = cut + "." + i;
                published.add(
                        i % 2 == 0
                                ? client.publish(quiet(client, subject, QUIET + text))
                                : client.publish(subject, text));
            }
            gate.cut();
            client.awaitStates("connected", cut + 2);
        }
        published.forEach(client::acked);
        int loud = CUTS * MESSAGES_PER_CUT / 2;
        other.awaitMessages(2 * loud);
        client.awaitMessages(loud);
        assertThat(client.texts())
                .isEqualTo(other.texts().stream()
                        .filter(text -> !text.startsWith(QUIET))
                        .toList());
        assertThat(other.texts()).hasSize(2 * loud);
        assertThat(client.gaps()).isEmpty();
    }

    private static void requested(Scene scene) {
        String subject = scene.subject("state");
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        client.acked(client.publish(quiet(client, subject, "first").put("retain", true)));
        publishQuietly(client, subject, "second");
        client.call(client.command("subscribe").put("subject", subject).put("history", 1));
        client.awaitSubscribed(subject);
        client.awaitMessages(2);
        assertThat(client.texts()).containsExactly("first", "second");
        client.unsubscribe(subject);
        client.subscribe(subject);
        client.awaitSubscribed(subject, 2);
        client.awaitMessages(3);
        publishQuietly(client, subject, QUIET);
        client.acked(client.publish(subject, "loud"));
        client.awaitMessages(4);
        assertThat(client.texts()).containsExactly("first", "second", "first", "loud");
    }

    private static void betweenNodes(Scene scene) {
        String subject = scene.subject("room");
        List<TestServer> nodes = scene.cluster();
        exchange(
                follow(scene, scene.plan(scene.anyWire(), nodes.getFirst().port()), subject),
                follow(scene, scene.plan(scene.anyWire(), nodes.getLast().port()), subject),
                subject);
    }
}
