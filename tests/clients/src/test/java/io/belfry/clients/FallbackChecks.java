package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.StreamWitness;
import java.util.List;

/** Checks of clients that choose their transport themselves, behind proxies that do not let every one through. Pure. */
final class FallbackChecks {
    private static final String GROUP = "Fallback";

    private FallbackChecks() {}

    static List<Behaviour> all() {
        return List.of(
                Behaviour.of(
                        GROUP,
                        "A proxy that refuses upgrades leads to a transport over HTTP",
                        scene -> behind(scene, BlockingProxy.Upgrades.REFUSED, false),
                        "fallback"),
                Behaviour.of(
                        GROUP,
                        "A proxy that swallows upgrades leads to a transport over HTTP",
                        scene -> behind(scene, BlockingProxy.Upgrades.SWALLOWED, false),
                        "fallback"),
                Behaviour.of(
                        GROUP,
                        "A proxy that swallows upgrades and buffers streams leads to long polling",
                        scene -> behind(scene, BlockingProxy.Upgrades.SWALLOWED, true),
                        "fallback",
                        "longPoll"),
                Behaviour.of(
                        GROUP,
                        "Without such a proxy the preferred transport is used",
                        scene -> behind(scene, BlockingProxy.Upgrades.PASSED, false),
                        "fallback"));
    }

    private static void behind(Scene scene, BlockingProxy.Upgrades upgrades, boolean buffering) {
        BlockingProxy proxy = scene.closing(new BlockingProxy(scene.main().port(), upgrades, buffering));
        ObjectNode plan = scene.plan(scene.anyWire(), proxy.port());
        if (upgrades != BlockingProxy.Upgrades.PASSED) {
            // A client waits so long for each transport that is swallowed. Where none is, a slow start must not seem to
            // be one.
            plan.put("connectTimeoutMillis", 1500);
        }
        ArrayNode transports = plan.putArray("transports");
        List.of("webSocket", "httpStream", "sse", "longPoll").stream()
                .filter(scene.driver().capabilities()::contains)
                .forEach(transports::add);
        DrivenClient client = scene.start(plan);
        SuitePublisher publisher = scene.publisher(scene.main());
        List<String> subjects = List.of(scene.subject("fallback"));
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        publisher.publish(subjects, 30, 0);
        OrderChecks.awaitEnds(scene, witness);
        Scene.pause(1000);
        publisher.publish(subjects, 30, 0);
        OrderChecks.awaitEnds(scene, witness);
        String used = client.statuses("connected").getLast().path("transport").asText();
        boolean webSocket = used.equals("webSocket");
        assertThat(webSocket).as("the transport is %s", used).isEqualTo(upgrades == BlockingProxy.Upgrades.PASSED);
        if (buffering) {
            assertThat(used).isEqualTo("longPoll");
        }
        assertThat(client.gaps()).isEmpty();
    }
}
