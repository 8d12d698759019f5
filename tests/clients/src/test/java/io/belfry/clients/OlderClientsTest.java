package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.api.ApiTarget;
import io.belfry.client.api.BelfryApi;
import io.belfry.integration.Await;
import io.belfry.integration.Http;
import io.belfry.integration.Jwts;
import io.belfry.integration.TestMachine;
import io.belfry.testsupport.RequiredPrograms;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs clients of earlier commits against this server, with all later additions to the protocol in use. They are in the folder
 * {@code older} of the test resources, together with the drivers of their commits; its README states how they were built.
 */
@Tag("complete")
final class OlderClientsTest {
    /** The drivers use the package ws, which the current client has installed there. */
    private static final String FOLDER = "clients/js";

    private static final String KEY = "0123456789abcdef0123456789abcdef";
    private static final String ORIGIN = "0123456789012345678901";
    private static final String RIGHTS = "{\"all\":[\"/**\"],\"system\":true}";
    private static final int BRIEF_MILLIS = 100;

    /** The first reason in the table of a driver. */
    private static final String REASONS = "sse:\"the client reads NDJSON instead\"";

    /** The groups of the behaviour suite whose checks concern nothing newer than these clients. */
    private static final Set<String> GROUPS = Set.of(
            "Subscribing and publishing",
            "Recovery",
            "Publishing under faults",
            "Tokens",
            "Fallback",
            "Callbacks",
            "Notices of interest",
            "Closing",
            "Protocol");

    /** One client of an earlier commit. */
    private record Older(String commit, String date, boolean followsPresence, List<String> capabilitiesLacking) {
        DriverCommand command() {
            String file = "build/older/javascript-" + commit + ".mjs";
            return new DriverCommand(
                    "JavaScript of " + date,
                    FOLDER,
                    List.of("node", file),
                    FOLDER + "/dist/index.js",
                    "npm ci && npm run build, in clients/js");
        }

        void install() throws IOException {
            String name = "javascript-" + commit + ".mjs";
            Path target = TestMachine.root().resolve(FOLDER + "/build/older").resolve(name);
            Files.createDirectories(target.getParent());
            String driver = Files.readString(TestMachine.root()
                    .resolve("tests/clients/src/test/resources/older")
                    .resolve(name));
            assertThat(driver).contains(REASONS);
            Files.writeString(target, driver.replace(REASONS, laterReasons() + REASONS));
        }

        /** The driver protocol requires a reason for each capability that a driver lacks, and those that came later have none. */
        private String laterReasons() {
            return capabilitiesLacking.stream()
                    .map(each -> each + ":\"it came later\",")
                    .collect(Collectors.joining());
        }
    }

    private static final List<Older> ALL = List.of(
            new Older(
                    "507ff3b6",
                    "23 November 2026",
                    false,
                    List.of("keepSession", "patternPositions", "clientName", "requests", "noEcho", "delta")),
            new Older("e2377e19", "24 November 2026", true, List.of("clientName", "requests", "noEcho", "delta")));

    @TestFactory
    Stream<DynamicTest> olderClientsReceiveEverythingThatTheyKnow() {
        return ALL.stream().map(older -> DynamicTest.dynamicTest(older.command().client(), () -> run(older)));
    }

    @TestFactory
    Stream<DynamicContainer> olderClientsPassTheSuiteOfTheirTime() throws IOException {
        for (Older older : ALL) {
            older.command().missing().ifPresent(RequiredPrograms::skip);
            older.install();
        }
        RunSettings given = RunSettings.fromProperties();
        RunSettings settings = new RunSettings(given.seconds(), given.seed(), ".*", ".*");
        List<Behaviour> behaviours = Behaviours.all().stream()
                .filter(each -> GROUPS.contains(each.group()))
                .toList();
        List<SuiteRun.Result> results = new SuiteRun(settings, behaviours, settings.wireShares())
                .run(ALL.stream().map(Older::command).toList());
        return ALL.stream()
                .map(Older::command)
                .map(command -> DynamicContainer.dynamicContainer(
                        command.client(),
                        results.stream()
                                .filter(result -> result.client().equals(command.client()))
                                .map(result -> DynamicTest.dynamicTest(
                                        result.behaviour().sentence(),
                                        () -> assertThat(result.outcome())
                                                .as(result.detail())
                                                .isNotEqualTo(SuiteRun.Outcome.FAILED)))));
    }

    private static void run(Older older) throws IOException {
        older.command().missing().ifPresent(RequiredPrograms::skip);
        older.install();
        RunSettings settings = RunSettings.fromProperties();
        try (SuiteServers servers = new SuiteServers();
                DriverProcess driver = DriverProcess.start(older.command())) {
            for (Wire wire : Wire.values()) {
                try (Scene scene = new Scene(driver, servers, settings, wire.ordinal())) {
                    if (scene.can(wire)) {
                        new Meeting(scene, wire, older).run();
                    }
                }
            }
            assertThat(driver.end()).as("%s", driver).isZero();
        }
    }

    /** One older client beside publishers of today. */
    private static final class Meeting {
        private final Scene scene;
        private final Wire wire;
        private final Older older;
        private final MeasuredServer measured;
        private final Gate gate;
        private final DrivenClient client;
        private final String room;
        private final String halls;
        private final Http publisher;

        Meeting(Scene scene, Wire wire, Older older) throws IOException {
            this.scene = scene;
            this.wire = wire;
            this.older = older;
            Path keys = Files.createTempFile("belfry", ".keys");
            keys.toFile().deleteOnExit();
            Files.writeString(keys, "suite publish,read,act " + KEY + "\n");
            measured = scene.closing(MeasuredServer.start(
                    "Entitlement=JWT",
                    "Jwt.Secret=" + Jwts.SECRET,
                    "Api.Listen=127.0.0.1:0",
                    "Api.KeyFile=" + keys,
                    "Subjects.1=/suite/*/room publisher=yes presence=yes"));
            gate = scene.gate(measured.port());
            publisher = scene.closing(Http.to(measured.port()));
            room = scene.subject("room");
            halls = scene.subject("halls");
            client = scene.start(scene.plan(wire, gate.port()).put("token", token("ann")));
        }

        private boolean isWebSocket() {
            return wire == Wire.BINARY || wire == Wire.JSON;
        }

        private static String token(String user) {
            return Jwts.hs256(Jwts.claims(600, RIGHTS).replaceFirst("\\{", "{\"sub\":\"" + user + "\","));
        }

        private void publish(String subject, String text, String terms) {
            Http.Answer answer = publisher.post(
                    "/publish?subject=" + subject + terms, text, "Authorization: Bearer " + token("bob"));
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        }

        void run() {
            client.subscribe(room);
            client.awaitSubscribed(room);
            client.subscribe(halls + "/*");
            client.awaitSubscribed(halls + "/*");
            receivesMessagesWithHeaders();
            seesPresence();
            ignoresSubscriptionsOfTheServer();
            resumesAfterExpiredMessages();
            continuesItsSession();
            assertThat(client.events("error")).isEmpty();
            assertThat(client.events("ended")).isEmpty();
            assertThat(client.statuses("refused")).isEmpty();
            assertThat(client.statuses("connected"))
                    .as("after the start and the cut")
                    .hasSize(2);
        }

        private void receivesMessagesWithHeaders() {
            publish(room, "plain", "");
            publish(room, "headed", "&header=type=order&header=lang=de");
            publish(room, "own origin", "&origin=" + ORIGIN);
            publish(room, "lasting", "&ttl=1h");
            publish(room, "kept", "&retain&ttl=1h&header=type=order&origin=" + ORIGIN);
            client.acked(client.publish(room, "of the older client"));
            publish(halls + "/1", "in a hall", "&header=type=order&origin=" + ORIGIN);
            awaitText("of the older client");
            awaitText("in a hall");
            assertThat(texts(room))
                    .containsExactly("plain", "headed", "own origin", "lasting", "kept", "of the older client");
            assertThat(texts(halls + "/1")).containsExactly("in a hall");
            assertThat(gaps(room)).isEmpty();
        }

        private List<String> texts(String subject) {
            return client.messages().stream()
                    .filter(event -> event.path("subject").asText().equals(subject) && event.has("text"))
                    .map(event -> event.path("text").asText())
                    .toList();
        }

        /** Returns the reasons of the gaps of a subject. A pattern over long polling had a gap after each poll. */
        private List<String> gaps(String subject) {
            return client.gaps().stream()
                    .filter(gap -> gap.path("subject").asText().equals(subject))
                    .map(gap -> gap.path("reason").asText())
                    .toList();
        }

        /** The first clients refuse subjects of the server themselves, and a poll begins with the next change. */
        private void seesPresence() {
            String presence = "/$presence" + room;
            if (older.followsPresence() && wire != Wire.POLL) {
                client.subscribe(presence);
                client.awaitSubscribed(presence);
                Await.until("the members of " + room, () -> !texts(presence).isEmpty());
                assertThat(texts(presence).getFirst()).contains("ann");
            }
        }

        private void ignoresSubscriptionsOfTheServer() {
            if (!isWebSocket()) {
                return;
            }
            String begun = scene.subject("begun");
            BelfryApi api = new BelfryApi(
                    URI.create("http://127.0.0.1:" + measured.server().apiPort()), KEY);
            try {
                assertThat(api.subscribe(ApiTarget.user("ann"), List.of(begun, begun + "/*")))
                        .isEqualTo(2);
            } catch (IOException refused) {
                throw new AssertionError(refused);
            }
            publish(begun, "not wanted", "");
            publish(begun + "/1", "not wanted", "");
            publish(room, "after others", "");
            awaitText("after others");
            assertThat(client.texts()).doesNotContain("not wanted");
        }

        private void awaitText(String text) {
            Await.until(text, () -> client.texts().contains(text));
        }

        private void resumesAfterExpiredMessages() {
            gate.shut(client);
            publish(room, "brief", "&ttl=" + BRIEF_MILLIS);
            Scene.pause(2 * BRIEF_MILLIS);
            publish(room, "missed", "&header=type=order&origin=" + ORIGIN);
            publish(halls + "/1", "missed in a hall", "&ttl=1h");
            gate.open();
            awaitText("missed");
            awaitText("missed in a hall");
            publish(room, "last", "");
            publishInAnotherHall("last in a hall");
            awaitText("last");
            assertThat(texts(room))
                    .doesNotHaveDuplicates()
                    .endsWith("missed", "last")
                    .doesNotContain("brief");
            assertThat(gaps(room)).containsExactly("message-expired");
        }

        /** Over long polling a client of that time loses what is published between two polls of a pattern, so this is repeated. */
        private void publishInAnotherHall(String text) {
            publish(halls + "/2", text, "");
            Await.until(text, () -> {
                boolean arrived = client.texts().contains(text);
                if (!arrived && wire == Wire.POLL) {
                    Scene.pause(500);
                    publish(halls + "/2", text, "");
                }
                return arrived;
            });
        }

        /** The clients of that time do not continue sessions with patterns, so this is another client. */
        private void continuesItsSession() {
            if (!isWebSocket() || !scene.driver().capabilities().contains("keepSession")) {
                return;
            }
            Gate path = scene.gate(measured.port());
            DrivenClient kept = scene.start(
                    scene.plan(wire, path.port()).put("token", token("eve")).put("keepSession", true));
            kept.subscribe(room);
            kept.awaitSubscribed(room);
            publish(room, "before", "&origin=" + ORIGIN);
            kept.awaitMessages(2);
            path.shut(kept);
            publish(room, "meanwhile", "&ttl=1h&header=type=order");
            path.open();
            kept.awaitMessages(3);
            publish(room, "after", "");
            kept.awaitMessages(4);
            assertThat(kept.texts()).containsExactly("kept", "before", "meanwhile", "after");
            measured.await("belfry_sessions_resumed_total", 1);
        }
    }
}
