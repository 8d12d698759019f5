package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.CuttingProxy;
import io.belfry.integration.NetworkFaults;
import io.belfry.integration.StreamWitness;
import io.belfry.protocol.Position;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/** Checks of sessions that the server keeps after a lost connection. Pure. */
final class KeptSessionChecks {
    private static final String GROUP = "Kept sessions";
    private static final String CAPABILITY = "keepSession";
    private static final int RETURNS = 3;
    private static final int PATTERN_RETURNS = 2;
    private static final int MESSAGES = 20;
    private static final int SUBJECTS = 10;
    private static final int MESSAGES_EACH = 5;
    private static final int CUT_MILLIS = 500;

    /** Several times two ping intervals of 25 s. */
    private static final int SILENCE_SECONDS_MAX = 200;

    private KeptSessionChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.addAll(overWebSocket(
                "A client that returns continues its session with one command and receives every message",
                Behaviour.Mode.SHARED,
                KeptSessionChecks::continues));
        all.addAll(overWebSocket(
                "Connections that end after any byte cause no loss in a kept session",
                Behaviour.Mode.LONG,
                (scene, wire) -> CutChecks.cuts(scene, keeping(scene.plan(wire)))));
        all.addAll(withPatterns(
                "A client with subjects and patterns continues its session and receives every message, on new subjects too",
                Behaviour.Mode.SHARED,
                KeptSessionChecks::continuesWithPatterns));
        all.addAll(withPatterns(
                "Connections that end after any byte cause no loss in a kept session with subjects and patterns",
                Behaviour.Mode.LONG,
                KeptSessionChecks::cutsWithPatterns));
        all.addAll(overWebSocket(
                        "A client that gives up a silent connection continues its session",
                        Behaviour.Mode.SHARED,
                        KeptSessionChecks::silentConnection)
                .stream()
                .map(each -> each.needing(Set.of("clock")))
                .toList());
        all.add(Behaviour.of(
                GROUP,
                "A client that returns after its session has ended receives every message",
                KeptSessionChecks::ended,
                CAPABILITY));
        all.add(Behaviour.of(
                GROUP,
                "Subscriptions that change while the connection is lost receive every message",
                KeptSessionChecks::changed,
                CAPABILITY));
        all.add(Behaviour.of(
                GROUP,
                "No session is kept for a client that did not ask for it",
                KeptSessionChecks::notAsked,
                "webSocket"));
        return all;
    }

    private static List<Behaviour> overWebSocket(String sentence, Behaviour.Mode mode, Behaviour.WireCheck check) {
        return Behaviour.overEachWire(GROUP, sentence, mode, check, CAPABILITY).stream()
                .filter(each -> each.needs().contains("webSocket"))
                .toList();
    }

    private static List<Behaviour> withPatterns(String sentence, Behaviour.Mode mode, Behaviour.WireCheck check) {
        return overWebSocket(sentence, mode, check).stream()
                .map(each -> each.needing(Set.of("patternPositions")))
                .toList();
    }

    private static ObjectNode keeping(ObjectNode plan) {
        return plan.put(CAPABILITY, true);
    }

    private static void continues(Scene scene, Wire wire) {
        MeasuredServer measured = scene.closing(MeasuredServer.start());
        Gate gate = scene.gate(measured.server().port());
        DrivenClient client = scene.start(keeping(scene.plan(wire, gate.port())));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(measured.server());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        for (int returns = 1; returns <= RETURNS; returns++) {
            gate.shut();
            publisher.publish(subjects, MESSAGES, 0);
            gate.open();
            measured.await("belfry_sessions_resumed_total", returns);
            OrderChecks.awaitEnds(scene, witness);
        }
        assertThat(client.gaps()).isEmpty();
        assertThat(measured.metric("belfry_sessions_not_resumed_total")).isZero();
        // The lane of the lost connection ends its session after the return is counted.
        measured.await("belfry_detached_sessions", 0);
        measured.await("belfry_subscriptions", subjects.size());
    }

    /**
     * The client's clock skips, so that it gives up before the server does. The server receives the end of that connection
     * first, when the network lets the bytes of both connections continue.
     */
    private static void silentConnection(Scene scene, Wire wire) {
        MeasuredServer measured = scene.closing(MeasuredServer.start());
        Gate gate = scene.gate(measured.port());
        DrivenClient client = scene.start(keeping(scene.plan(wire, gate.port())).put("clock", true));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(measured.server());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.hold(true);
        for (int seconds = 1; client.statuses("disconnected").isEmpty(); seconds++) {
            assertThat(seconds).as("seconds until the silence is noticed").isLessThan(SILENCE_SECONDS_MAX);
            client.call(client.command("clock").put("skipMillis", 1000));
            Scene.pause(20);
        }
        publisher.publish(subjects, MESSAGES, 0);
        gate.hold(false);
        measured.await("belfry_sessions_resumed_total", 1);
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
        assertThat(measured.metric("belfry_sessions_not_resumed_total")).isZero();
    }

    /** Subscribes to each of these, which may be patterns; returns a witness for each. */
    private static Map<String, StreamWitness> followEach(Scene scene, DrivenClient client, List<String> subscriptions) {
        Map<String, StreamWitness> witnesses = new LinkedHashMap<>();
        for (String subscription : subscriptions) {
            StreamWitness witness = scene.witness("the subscription " + subscription);
            witnesses.put(subscription, witness);
            client.report(witness, subscription);
            client.subscribe(subscription);
        }
        subscriptions.forEach(client::awaitSubscribed);
        return witnesses;
    }

    private static void continuesWithPatterns(Scene scene, Wire wire) {
        MeasuredServer measured = scene.closing(MeasuredServer.start());
        Gate gate = scene.gate(measured.server().port());
        DrivenClient client = scene.start(keeping(scene.plan(wire, gate.port())));
        String root = scene.subject("kept");
        String pattern = root + "/p/**";
        String overlapping = root + "/p/*/x";
        List<String> subscriptions = new ArrayList<>(List.of(root + "/own"));
        // More subjects of the pattern than the server reads at the same time.
        IntStream.range(0, SUBJECTS).forEach(i -> subscriptions.add(root + "/p/" + i));
        subscriptions.addAll(List.of(pattern, overlapping));
        Map<String, StreamWitness> witnesses = followEach(scene, client, subscriptions);
        PatternPositionChecks.Traffic traffic =
                new PatternPositionChecks.Traffic(scene.publisher(measured.server()), MESSAGES_EACH);
        traffic.publish(subscriptions.subList(0, SUBJECTS + 1).toArray(String[]::new));
        traffic.publish(root + "/p/only", root + "/p/only/x");
        for (int returns = 1; returns <= PATTERN_RETURNS; returns++) {
            witnesses.forEach((subscription, witness) -> traffic.require(scene, client, witness, subscription));
            gate.shut();
            traffic.publish(root + "/p/new" + returns, root + "/p/new" + returns + "/x");
            gate.open();
            // Some messages are published while the subscriptions recover.
            traffic.publish(root + "/p/during" + returns);
            measured.await("belfry_sessions_resumed_total", returns);
            assertThat(client.awaitSubscribed(pattern, returns + 1)).isEqualTo("complete");
            assertThat(client.awaitSubscribed(overlapping, returns + 1)).isEqualTo("complete");
        }
        witnesses.forEach((subscription, witness) -> traffic.require(scene, client, witness, subscription));
        assertThat(client.gaps()).isEmpty();
        assertThat(measured.metric("belfry_sessions_not_resumed_total")).isZero();
        measured.await("belfry_detached_sessions", 0);
        measured.await("belfry_subscriptions", subscriptions.size());
    }

    private static void cutsWithPatterns(Scene scene, Wire wire) {
        NetworkFaults network = NetworkFaults.rough(scene.random().nextLong(), CutChecks.STALL_ONE_IN);
        CuttingProxy proxy = scene.proxy(scene.main().port(), network);
        DrivenClient client = scene.start(keeping(scene.plan(wire, proxy.port())));
        client.keepLittle();
        String root = scene.subject("cuts");
        List<String> names = List.of(root + "/own", root + "/p/a", root + "/p/b");
        List<String> subscriptions = new ArrayList<>(names);
        subscriptions.add(root + "/p/*");
        Map<String, StreamWitness> witnesses = followEach(scene, client, subscriptions);
        SuitePublisher publisher = scene.publisher(scene.main());
        List<String> subjects = new ArrayList<>(names);
        Runnable step = () -> {
            subjects.add(root + "/p/" + subjects.size());
            publisher.publish(subjects, MESSAGES, 50);
            proxy.cut(sent -> true);
            publisher.publish(subjects, MESSAGES, 50);
            Scene.pause(scene.random().nextInt(CUT_MILLIS));
        };
        CutChecks.until(scene, Objects.requireNonNull(witnesses.get(root + "/p/*")), step, () -> {});
        network.clear();
        witnesses.forEach((subscription, witness) -> PatternPositionChecks.awaitEnds(scene, witness, subscription));
        assertThat(client.gaps()).isEmpty();
        assertThat(client.statuses("disconnected")).isNotEmpty();
    }

    private static void ended(Scene scene) {
        MeasuredServer measured = scene.closing(MeasuredServer.start("Session.DetachedTime=100 ms"));
        Gate gate = scene.gate(measured.server().port());
        DrivenClient client = scene.start(keeping(scene.plan(scene.anyWire(), gate.port())));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(measured.server());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.shut();
        measured.await("belfry_detached_sessions_ended_total", 1);
        publisher.publish(subjects, MESSAGES, 0);
        gate.open();
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
        assertThat(measured.metric("belfry_sessions_resumed_total")).isZero();
    }

    private static void changed(Scene scene) {
        Gate gate = scene.gate(scene.main().port());
        DrivenClient client = scene.start(keeping(scene.plan(scene.anyWire(), gate.port())));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(scene.main());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        String left = subjects.getFirst();
        String added = scene.subject("added");
        OrderChecks.awaitEnds(scene, witness);
        gate.shut();
        client.unsubscribe(left);
        Position first = publisher.publish(added);
        witness.startAt(added, first);
        client.subscribe(added, first);
        publisher.publish(subjects.subList(1, subjects.size()), MESSAGES, 0);
        publisher.publish(List.of(added), MESSAGES, 0);
        gate.open();
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
    }

    private static void notAsked(Scene scene) {
        MeasuredServer measured = scene.closing(MeasuredServer.start());
        Gate gate = scene.gate(measured.server().port());
        DrivenClient client = scene.start(scene.plan(scene.anyWire(), gate.port()));
        List<String> subjects = OrderChecks.subjects(scene);
        SuitePublisher publisher = scene.publisher(measured.server());
        StreamWitness witness = OrderChecks.follow(scene, client, publisher, subjects);
        gate.shut();
        measured.await("belfry_subscriptions", 0);
        assertThat(measured.metric("belfry_detached_sessions")).isZero();
        publisher.publish(subjects, MESSAGES, 0);
        gate.open();
        OrderChecks.awaitEnds(scene, witness);
        assertThat(client.gaps()).isEmpty();
        assertThat(measured.metric("belfry_sessions_resumed_total")).isZero();
        assertThat(measured.metric("belfry_sessions_not_resumed_total")).isZero();
    }
}
