package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Jwts;
import io.belfry.integration.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Checks of requests and replies. Pure. */
final class ReplyChecks {
    private static final String GROUP = "Replies";
    private static final String CAPABILITY = "requests";

    /** Time limit of requests that get a reply; the machine may be busy. */
    private static final int PATIENT_MILLIS = 60_000;

    private static final int BRIEF_MILLIS = 300;
    private static final int IN_FLIGHT = 50;

    private ReplyChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> each = Behaviour.overEachWire(
                GROUP, "A request gets its reply", Behaviour.Mode.SHARED, ReplyChecks::replied, CAPABILITY);
        return Stream.concat(
                        each.stream(),
                        Stream.of(
                                of("Many requests in flight each get their own reply", ReplyChecks::inFlight),
                                of(
                                        "A request that nobody answers fails with no-reply at its time limit",
                                        ReplyChecks::noReply),
                                of(
                                        "A request that the client may not publish fails with the code of the server",
                                        ReplyChecks::refused),
                                of(
                                        "A reply that was published during a disconnect arrives after it",
                                        ReplyChecks::duringDisconnect),
                                of(
                                                "A kept session continues with the inbox of its requests",
                                                ReplyChecks::inKeptSession)
                                        .needing(Set.of("keepSession")),
                                of(
                                        "Another client cannot follow the inbox of a request, which only its client receives",
                                        ReplyChecks::foreignInbox),
                                of(
                                        "A request and its reply pass between nodes of a cluster",
                                        ReplyChecks::betweenNodes),
                                of("Closing a client fails its requests", ReplyChecks::closed)))
                .toList();
    }

    private static Behaviour of(String sentence, Behaviour.Check check) {
        return Behaviour.of(GROUP, sentence, check, CAPABILITY);
    }

    private static long request(DrivenClient client, String subject, String text, int timeoutMillis) {
        ObjectNode command = client.command("request")
                .put("subject", subject)
                .put("text", text)
                .put("timeoutMillis", timeoutMillis);
        client.call(command);
        return command.path("id").asLong();
    }

    private static void respond(DrivenClient client, String subject) {
        client.call(client.command("respond").put("subject", subject));
        client.awaitSubscribed(subject);
    }

    private static void requireReply(DrivenClient client, long request, String text) {
        JsonNode outcome = client.outcome(request);
        assertThat(outcome.path("op").asText()).as("%s", outcome).isEqualTo("replied");
        assertThat(outcome.path("text").asText()).isEqualTo(text);
    }

    private static void requireFailure(DrivenClient client, long request, String kind, String code) {
        JsonNode outcome = client.outcome(request);
        assertThat(outcome.path("op").asText()).as("%s", outcome).isEqualTo("failed");
        assertThat(outcome.path("kind").asText()).isEqualTo(kind);
        assertThat(outcome.path("code").asText("")).isEqualTo(code);
    }

    private static void replied(Scene scene, Wire wire) {
        String subject = scene.subject("service");
        DrivenClient responder = scene.start(wire, scene.main().port());
        respond(responder, subject);
        DrivenClient requester = scene.start(wire, scene.main().port());
        for (String text : List.of("first", "\"ä\"\n", "")) {
            requireReply(requester, request(requester, subject, text, PATIENT_MILLIS), "re: " + text);
        }
    }

    private static void inFlight(Scene scene) {
        String subject = scene.subject("service");
        DrivenClient responder = scene.start(scene.anyWire(), scene.main().port());
        respond(responder, subject);
        List<DrivenClient> requesters = List.of(
                scene.start(scene.anyWire(), scene.main().port()),
                scene.start(scene.anyWire(), scene.main().port()));
        List<List<Long>> ids = new ArrayList<>();
        for (DrivenClient each : requesters) {
            ids.add(IntStream.range(0, IN_FLIGHT)
                    .mapToObj(i -> request(each, subject, each + " " + i, PATIENT_MILLIS))
                    .toList());
        }
        for (int r = 0; r < requesters.size(); r++) {
            for (int i = 0; i < IN_FLIGHT; i++) {
                DrivenClient each = requesters.get(r);
                requireReply(each, ids.get(r).get(i), "re: " + each + " " + i);
            }
        }
    }

    private static void noReply(Scene scene) {
        DrivenClient requester = scene.start(scene.anyWire(), scene.main().port());
        requireFailure(
                requester,
                request(requester, scene.subject("nobody"), "hello?", BRIEF_MILLIS),
                "timed-out",
                "no-reply");
    }

    private static void refused(Scene scene) {
        ObjectNode plan = scene.plan(scene.anyWire(), scene.guarded().port());
        String allowed = scene.subject("allowed");
        String rights = "{\"sub\":[\"/**\"],\"pub\":[\"" + allowed + "\"]}";
        plan.put("token", Jwts.hs256(Jwts.claims(3600, rights)));
        DrivenClient requester = scene.start(plan);
        requireFailure(
                requester,
                request(requester, scene.subject("service"), "x", PATIENT_MILLIS),
                "refused",
                "publish-denied");
    }

    private static void duringDisconnect(Scene scene) {
        reply(scene, false);
    }

    private static void inKeptSession(Scene scene) {
        reply(scene, true);
    }

    /** Publishes the reply by hand while the requester has no connection. */
    private static void reply(Scene scene, boolean kept) {
        MeasuredServer measured = scene.closing(MeasuredServer.start());
        Wire wire = !kept ? scene.anyWire() : scene.can(Wire.BINARY) ? Wire.BINARY : Wire.JSON;
        Gate gate = scene.gate(measured.port());
        DrivenClient requester = scene.start(scene.plan(wire, gate.port()).put("keepSession", kept));
        DrivenClient responder = scene.start(scene.anyWire(), measured.port());
        String subject = scene.subject("service");
        responder.subscribe(subject);
        responder.awaitSubscribed(subject);
        long request = request(requester, subject, "slow work", PATIENT_MILLIS);
        JsonNode headers = responder.awaitMessages(1).getFirst().path("headers");
        gate.shut(requester);
        ObjectNode reply = responder
                .command("publish")
                .put("subject", headers.path("replyTo").asText())
                .put("text", "done");
        reply.putObject("headers")
                .put("correlationId", headers.path("correlationId").asText());
        responder.acked(responder.publish(reply));
        gate.open();
        requireReply(requester, request, "done");
        if (kept) {
            measured.await("belfry_sessions_resumed_total", 1);
        }
    }

    private static void foreignInbox(Scene scene) {
        String subject = scene.subject("service");
        DrivenClient other = scene.start(scene.anyWire(), scene.main().port());
        other.subscribe(subject);
        other.awaitSubscribed(subject);
        DrivenClient requester = scene.start(scene.anyWire(), scene.main().port());
        request(requester, subject, "for one", PATIENT_MILLIS);
        String inbox = other.awaitMessages(1)
                .getFirst()
                .path("headers")
                .path("replyTo")
                .asText();
        assertThat(inbox).startsWith("/$inbox/");
        requireNotFollowed(other, inbox);
        other.outcome(other.publish(inbox, "without an id"));
        respond(requester, subject);
        requireReply(requester, request(requester, subject, "again", PATIENT_MILLIS), "re: again");
        other.awaitMessages(2);
        assertThat(other.texts()).containsExactly("for one", "again");
        assertThat(requester.events("replied")).hasSize(1);
    }

    /** A client may know the rule itself. */
    private static void requireNotFollowed(DrivenClient client, String inbox) {
        try {
            client.subscribe(inbox);
        } catch (DriverProcess.CommandRefused byClient) {
            return;
        }
        JsonNode ended =
                client.await("ended", event -> event.path("subject").asText().equals(inbox));
        assertThat(ended.path("code").asText()).isEqualTo("subscribe-denied");
    }

    private static void betweenNodes(Scene scene) {
        String subject = scene.subject("service");
        List<TestServer> nodes = scene.cluster();
        DrivenClient responder = scene.start(scene.anyWire(), nodes.getFirst().port());
        respond(responder, subject);
        DrivenClient requester = scene.start(scene.anyWire(), nodes.getLast().port());
        for (String text : List.of("1", "2")) {
            requireReply(requester, request(requester, subject, text, PATIENT_MILLIS), "re: " + text);
        }
    }

    private static void closed(Scene scene) {
        DrivenClient requester = scene.start(scene.anyWire(), scene.main().port());
        long request = request(requester, scene.subject("nobody"), "x", PATIENT_MILLIS);
        scene.close(requester);
        assertThat(requester.outcome(request).path("kind").asText()).isEqualTo("closed");
    }
}
