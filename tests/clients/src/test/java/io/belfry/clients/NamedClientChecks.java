package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.StreamWitness;
import java.util.ArrayList;
import java.util.List;

/** Checks of names of clients: the newest connection with a name closes the older one. Pure. */
final class NamedClientChecks {
    private static final String GROUP = "Named clients";
    private static final String CAPABILITY = "clientName";
    private static final String NAMES = "Session.ClientNames=true";
    private static final String NAME = "desk-7";
    private static final int MESSAGES = 20;

    /** Longer than several pauses of a client that would connect again. */
    private static final int QUIET_MILLIS = 1000;

    private NamedClientChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>(Behaviour.overEachWire(
                        GROUP,
                        "A later client takes the name, and the older one ends with client-taken and does not reconnect",
                        Behaviour.Mode.SHARED,
                        NamedClientChecks::laterClientTakesTheName,
                        CAPABILITY)
                .stream()
                .filter(each -> each.needs().contains("webSocket"))
                .toList());
        all.add(of("A client that lost its connection takes its name again", NamedClientChecks::takesItsNameAgain));
        all.add(Behaviour.of(
                GROUP,
                "A client with a name continues its session and keeps the name",
                NamedClientChecks::continuesItsSession,
                CAPABILITY,
                "keepSession"));
        all.add(of(
                "A server without names ends a client that has one with unsupported",
                NamedClientChecks::namesNotEnabled));
        all.add(of(
                "A client whose name finds no room tries again until there is room",
                NamedClientChecks::noRoomForTheName));
        all.add(of("A malformed name is rejected when it is given", NamedClientChecks::malformed));
        all.add(Behaviour.of(
                GROUP,
                "A name for a client without WebSocket is rejected when it is given",
                NamedClientChecks::overHttp,
                CAPABILITY,
                "httpStream"));
        return all;
    }

    private static Behaviour of(String sentence, Behaviour.Check check) {
        return Behaviour.of(GROUP, sentence, check, CAPABILITY, "webSocket");
    }

    private static ObjectNode named(ObjectNode plan, String name) {
        return plan.put(CAPABILITY, name);
    }

    private static DrivenClient start(Scene scene, Wire wire, int port, String name) {
        return scene.start(named(scene.plan(wire, port), name));
    }

    private static Wire webSocket(Scene scene) {
        return scene.can(Wire.BINARY) ? Wire.BINARY : Wire.JSON;
    }

    private static void requireTaken(DrivenClient older) {
        assertThat(older.awaitState("refused").path("code").asText()).isEqualTo("client-taken");
    }

    private static void laterClientTakesTheName(Scene scene, Wire wire) {
        MeasuredServer measured = scene.closing(MeasuredServer.start(NAMES));
        DrivenClient older = start(scene, wire, measured.port(), NAME);
        DrivenClient other = start(scene, wire, measured.port(), "desk-8");
        List.of(older, other).forEach(client -> client.awaitState("connected"));
        String subject = scene.subject("own");
        older.subscribe(subject);
        older.awaitSubscribed(subject);
        DrivenClient later = start(scene, wire, measured.port(), NAME);
        later.awaitState("connected");
        requireTaken(older);
        later.subscribe(subject);
        later.awaitSubscribed(subject);
        scene.publisher(measured.server()).publish(subject, "for the later client", false);
        later.awaitMessages(1);
        Scene.pause(QUIET_MILLIS);
        assertThat(older.messages()).isEmpty();
        assertThat(older.statuses("connecting"))
                .as("attempts of the older client")
                .hasSize(1);
        assertThat(later.statuses("disconnected")).isEmpty();
        assertThat(other.statuses("disconnected")).isEmpty();
        measured.await("belfry_client_names", 2);
    }

    private static void takesItsNameAgain(Scene scene) {
        MeasuredServer measured = scene.closing(MeasuredServer.start(NAMES));
        Gate gate = scene.gate(measured.port());
        DrivenClient client = start(scene, webSocket(scene), gate.port(), NAME);
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(measured.server());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.shut();
        measured.await("belfry_client_names", 0);
        publisher.publish(subjects, MESSAGES, 0);
        gate.open();
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
        measured.await("belfry_client_names", 1);
        start(scene, webSocket(scene), measured.port(), NAME).awaitState("connected");
        requireTaken(client);
    }

    private static void continuesItsSession(Scene scene) {
        MeasuredServer measured = scene.closing(MeasuredServer.start(NAMES));
        Gate gate = scene.gate(measured.port());
        DrivenClient client = scene.start(
                named(scene.plan(webSocket(scene), gate.port()), NAME).put("keepSession", true));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(measured.server());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.shut();
        publisher.publish(subjects, MESSAGES, 0);
        gate.open();
        measured.await("belfry_sessions_resumed_total", 1);
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
        measured.await("belfry_client_names", 1);
        start(scene, webSocket(scene), measured.port(), NAME).awaitState("connected");
        requireTaken(client);
    }

    private static void namesNotEnabled(Scene scene) {
        DrivenClient client = start(scene, webSocket(scene), scene.main().port(), NAME);
        assertThat(client.awaitState("refused").path("code").asText()).isEqualTo("unsupported");
        Scene.pause(QUIET_MILLIS);
        assertThat(client.statuses("connected")).isEmpty();
        assertThat(client.statuses("connecting")).hasSize(1);
    }

    private static void noRoomForTheName(Scene scene) {
        MeasuredServer measured =
                scene.closing(MeasuredServer.start(NAMES, "Limit.ClientNames=1", "Workgroups=1", "IoThreads=1"));
        DrivenClient first = start(scene, webSocket(scene), measured.port(), NAME);
        first.awaitState("connected");
        DrivenClient second = start(scene, webSocket(scene), measured.port(), "desk-8");
        second.awaitStates("disconnected", 2);
        assertThat(second.statuses("disconnected"))
                .allMatch(status -> status.path("code").asText().equals("client-names-full"));
        assertThat(second.statuses("connected")).isEmpty();
        assertThat(first.statuses("disconnected")).isEmpty();
        scene.close(first);
        second.awaitState("connected");
    }

    private static void malformed(Scene scene) {
        for (String name : List.of("two words", "a/b", "grün", "n".repeat(65))) {
            requireRejected(scene, scene.plan(webSocket(scene), scene.main().port()), name);
        }
    }

    private static void overHttp(Scene scene) {
        requireRejected(scene, scene.plan(Wire.LINES, scene.main().port()), NAME);
    }

    private static void requireRejected(Scene scene, ObjectNode plan, String name) {
        ObjectNode command = named(plan, name).put("op", "new").put("client", "rejected");
        assertThatThrownBy(() -> scene.driver().call(command))
                .as(name)
                .isInstanceOf(DriverProcess.CommandRefused.class);
    }
}
