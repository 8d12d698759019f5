package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Checks of what a client leaves behind. Pure. */
final class CloseChecks {
    private static final String GROUP = "Closing";

    private CloseChecks() {}

    static List<Behaviour> all() {
        return List.of(
                Behaviour.of(
                                GROUP,
                                "Closing leaves no timer, task, thread or socket, and the process ends by itself",
                                CloseChecks::nothingIsLeft)
                        .in(Behaviour.Mode.ALONE),
                Behaviour.of(GROUP, "No event follows the answer to close", CloseChecks::silentAfterClose));
    }

    private static void nothingIsLeft(Scene scene) {
        // The first client loads what the language keeps for the life of a process.
        useAll(scene);
        int sockets = sockets(scene.driver());
        JsonNode before = resources(scene);
        useAll(scene);
        Await.until("sockets " + sockets + " as before", () -> sockets(scene.driver()) <= sockets);
        if (before.has("threads")) {
            int threads = before.path("threads").asInt();
            Await.until(
                    "threads as before, " + threads,
                    () -> resources(scene).path("threads").asInt() <= threads);
        }
        JsonNode after = resources(scene);
        assertThat(after.path("timers").asInt())
                .as("timers")
                .isLessThanOrEqualTo(before.path("timers").asInt());
        assertThat(after.path("tasks").asInt())
                .as("tasks")
                .isLessThanOrEqualTo(before.path("tasks").asInt());
        assertThat(scene.driver().end()).as("exit code").isZero();
        assertThat(scene.driver().faults()).isEmpty();
    }

    private static JsonNode resources(Scene scene) {
        return scene.driver().call(DriverProcess.JSON.createObjectNode().put("op", "resources"));
    }

    /** Opens and closes clients in every state. */
    private static void useAll(Scene scene) {
        Gate silent = scene.gate(scene.main().port());
        List<DrivenClient> clients = new ArrayList<>();
        for (Wire wire : scene.wires()) {
            String subject = scene.subject("closing-" + wire);
            DrivenClient served = scene.start(wire, scene.main().port());
            served.subscribe(subject);
            served.awaitSubscribed(subject);
            served.publish(subject, "unanswered");
            clients.add(served);
            // A port on which nothing listens: this client waits between attempts.
            DrivenClient waiting = scene.start(scene.patientPlan(wire, 1));
            waiting.subscribe(subject);
            waiting.awaitState("disconnected");
            clients.add(waiting);
            silent.hold(true);
            DrivenClient connecting = scene.start(wire, silent.port());
            connecting.subscribe(subject);
            connecting.awaitState("connecting");
            clients.add(connecting);
        }
        Scene.pause(100);
        clients.forEach(scene::close);
        silent.hold(false);
    }

    /** Returns the number of sockets of the process, or 0 where the system does not list them. */
    private static int sockets(DriverProcess driver) {
        Path descriptors = Path.of("/proc", Long.toString(driver.pid()), "fd");
        if (!Files.isDirectory(descriptors)) {
            return 0;
        }
        try (Stream<Path> open = Files.list(descriptors)) {
            return (int) open.filter(CloseChecks::isSocket).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (NoSuchFileException closedMeanwhile) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void silentAfterClose(Scene scene) {
        String subject = scene.subject("closed");
        SuitePublisher publisher = scene.publisher(scene.main());
        for (Wire wire : scene.wires()) {
            DrivenClient client = scene.start(wire, scene.main().port());
            client.subscribe(subject);
            client.awaitSubscribed(subject);
            publisher.publish(List.of(subject), 50, 0);
            client.awaitMessages(1);
            scene.close(client);
            publisher.publish(List.of(subject), 50, 0);
            Scene.pause(100);
            assertThat(client.events("after-close")).as(wire.text()).isEmpty();
        }
    }
}
