package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Http;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Checks of the headers of messages. Pure. */
final class HeaderChecks {
    private static final String GROUP = "Headers of messages";

    private HeaderChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> each = Behaviour.overEachWire(
                GROUP,
                "Headers are sent, and received live, from the history and with a snapshot",
                Behaviour.Mode.SHARED,
                HeaderChecks::everyWay,
                "publish",
                "history");
        Behaviour refused = Behaviour.of(
                GROUP, "Headers that the server refuses fail their publish alone", HeaderChecks::refused, "publish");
        return Stream.concat(each.stream(), Stream.of(refused)).toList();
    }

    private static ObjectNode headers() {
        return ((ObjectNode) Http.json("{}"))
                .put("type", "order")
                .put("größe", "\"日本\" a=b&c\n")
                .put("empty", "")
                .put("__proto__", "a name");
    }

    private static void everyWay(Scene scene, Wire wire) {
        String subject = scene.subject("headed");
        DrivenClient live = scene.start(wire, scene.main().port());
        live.subscribe(subject);
        live.awaitSubscribed(subject);
        ObjectNode headed =
                live.command("publish").put("subject", subject).put("text", "a").put("retain", true);
        headed.set("headers", headers());
        live.acked(live.publish(headed));
        live.acked(live.publish(subject, "plain"));
        requireHeaders(live.awaitMessages(2));
        if (wire == Wire.POLL) {
            // A poll begins with the next message.
            return;
        }
        DrivenClient late = scene.start(wire, scene.main().port());
        ObjectNode history = late.command("subscribe").put("subject", subject).put("history", 2);
        late.call(history);
        requireHeaders(late.awaitMessages(2));
        DrivenClient snapshot = scene.start(wire, scene.main().port());
        snapshot.subscribe(subject);
        JsonNode retained = snapshot.awaitMessages(1).getFirst();
        assertThat(retained.path("type").asText()).isEqualTo("snapshot");
        assertThat(retained.path("headers")).isEqualTo(headers());
    }

    private static void requireHeaders(List<JsonNode> messages) {
        assertThat(messages.get(0).path("headers")).isEqualTo(headers());
        assertThat(messages.get(1).path("headers"))
                .as("of a message without headers")
                .isEmpty();
    }

    private static void refused(Scene scene) {
        String subject = scene.subject("refused");
        DrivenClient client = scene.start(scene.anyWire(), scene.main().port());
        ObjectNode large = client.command("publish").put("subject", subject).put("text", "a");
        ObjectNode headers = large.putObject("headers");
        IntStream.range(0, 10).forEach(i -> headers.put("h" + i, "v".repeat(500)));
        JsonNode outcome = client.outcome(client.publish(large));
        assertThat(outcome.path("kind").asText()).isEqualTo("refused");
        assertThat(outcome.path("code").asText()).isEqualTo("bad-headers");
        client.acked(client.publish(subject, "next"));
        ObjectNode reserved = client.command("publish").put("subject", subject).put("text", "a");
        reserved.putObject("headers").put("$user", "forged");
        assertThatThrownBy(() -> client.call(reserved)).isInstanceOf(DriverProcess.CommandRefused.class);
    }
}
