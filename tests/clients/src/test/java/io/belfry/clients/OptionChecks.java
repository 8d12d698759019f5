package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Jwts;
import java.util.ArrayList;
import java.util.List;

/** Checks of what options of subjects and of publishes do for clients: names of publishers, and times to live. Pure. */
final class OptionChecks {
    private static final String GROUP = "Publishers and times to live";
    private static final int TTL_MILLIS = 400;

    private OptionChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>(Behaviour.overEachWire(
                GROUP,
                "Messages have the name of their publisher where the server sets it",
                Behaviour.Mode.SHARED,
                OptionChecks::publisher,
                "publish"));
        all.addAll(Behaviour.overEachStream(
                GROUP,
                "A message is not delivered after its time to live",
                Behaviour.Mode.SHARED,
                OptionChecks::timeToLive,
                "publish",
                "history"));
        return all;
    }

    private static void publisher(Scene scene, Wire wire) {
        assertThat(publisherOf(scene, wire, scene.subject("named"))).isEqualTo("änne");
        assertThat(publisherOf(scene, wire, scene.subject("plain"))).isEmpty();
    }

    /** Returns the name that a client reports for a message of its own; empty for none. */
    private static String publisherOf(Scene scene, Wire wire, String subject) {
        String claims = Jwts.claims(600, "{\"all\":[\"/**\"]}").replaceFirst("\\{", "{\"sub\":\"änne\",");
        DrivenClient client =
                scene.start(scene.plan(wire, scene.guarded().port()).put("token", Jwts.hs256(claims)));
        client.subscribe(subject);
        client.awaitSubscribed(subject);
        client.acked(client.publish(subject, "a"));
        return client.awaitMessages(1).getFirst().path("publisher").asText("");
    }

    private static void timeToLive(Scene scene, Wire wire) {
        String subject = scene.subject("brief");
        DrivenClient live = scene.start(wire, scene.main().port());
        live.subscribe(subject);
        live.awaitSubscribed(subject);
        ObjectNode brief = live.command("publish")
                .put("subject", subject)
                .put("text", "brief")
                .put("ttl", TTL_MILLIS);
        live.acked(live.publish(brief));
        live.acked(live.publish(subject, "lasting"));
        live.awaitMessages(2);
        Scene.pause(TTL_MILLIS + 100);
        DrivenClient late = scene.start(wire, scene.main().port());
        late.call(late.command("subscribe").put("subject", subject).put("history", 10));
        assertThat(late.awaitMessages(1).getFirst().path("text").asText()).isEqualTo("lasting");
    }
}
