package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Position;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests client errors over real sockets in both encodings. The client receives the code that docs/protocol.md names. An
 * uninvolved publisher and an uninvolved subscriber are not affected.
 */
final class CommandErrorsTest {
    private static final int MAX_BYTES = 2048;

    private static final String TEN = "/a/bc/defg";
    private static final String HUNDRED = TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN;
    private static final String TOO_LONG = HUNDRED + HUNDRED + TEN + TEN + TEN + TEN + TEN + "/12345";

    private static TestServer server;

    private TestClient witness;
    private TestClient publisher;
    private Position last;

    @BeforeAll
    static void start() {
        server = TestServer.start("MaxMessageSize=" + MAX_BYTES);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void openWitnesses() {
        witness = TestClient.open(server, WireEncoding.BINARY);
        publisher = TestClient.open(server, WireEncoding.JSON);
        witness.subscribe("/witness");
        last = publisher.publish("/witness", "before");
        assertThat(witness.data(1)).containsExactly("before");
    }

    @AfterEach
    void theWitnessesAreNotAffected() {
        assertThat(publisher.publish("/witness", "after")).isEqualTo(new Position(last.epoch(), last.seq() + 1));
        assertThat(witness.data(1)).containsExactly("after");
        witness.close();
        publisher.close();
    }

    private static void assertSessionContinues(TestClient client) {
        client.ping(4711);
        assertThat(client.next()).isEqualTo(new Event.Pong(4711));
    }

    private static void assertRefused(TestClient client, long id, String code) {
        Event.Failed error = client.expect(Event.Failed.class);
        assertThat(error.code()).as(error.reason()).isEqualTo(code);
        assertThat(error.id()).isEqualTo(id);
    }

    @ParameterizedTest
    @EnumSource
    void anUnknownCommandIsRefusedAndTheSessionContinues(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            client.sendRaw(
                    encoding == WireEncoding.JSON
                            ? TestClient.bytes("{\"op\":\"fly\",\"id\":9}")
                            : new byte[] {0x7F, 0x01, 0, 0, 0, 0, 0, 0, 0, 9});
            assertRefused(client, 9, "unknown-op");
            assertSessionContinues(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anInvalidCommandIsRefusedAndTheSessionContinues(WireEncoding encoding) {
        List<byte[]> garbage = encoding == WireEncoding.JSON
                ? List.of(TestClient.bytes("{\"op\":"), TestClient.bytes("[]"), TestClient.bytes("{}{}"), new byte[0])
                : List.of(new byte[] {0x04}, new byte[] {0x04, 0x00, 0x09, 0x2f}, new byte[] {0x06, 0x40}, new byte[0]);
        String code = encoding == WireEncoding.JSON ? "bad-json" : "bad-frame";
        for (byte[] payload : garbage) {
            try (TestClient client = TestClient.open(server, encoding)) {
                client.sendRaw(payload);
                assertThat(client.expect(Event.Failed.class).code()).isEqualTo(code);
                assertSessionContinues(client);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSessionThatSendsOnlyGarbageIsClosed(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            for (int i = 0; i < 100; i++) {
                client.sendRaw(new byte[] {'?'});
            }
            Event.Closed closed = client.await(Event.Closed.class);
            assertThat(closed.code()).isEqualTo(1008);
            assertThat(closed.reason()).startsWith(encoding == WireEncoding.JSON ? "bad-json" : "bad-frame");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "/", "/a/", "/a//b", "/a b\u0001", "/a/*b", "/a/$b", "/a/**/b", TOO_LONG})
    void aBadSubjectIsRefusedAndTheSessionContinues(String subject) {
        for (WireEncoding encoding : WireEncoding.values()) {
            if (encoding == WireEncoding.BINARY && subject.length() > 255) {
                continue; // the length does not fit into the frame
            }
            try (TestClient client = TestClient.open(server, encoding)) {
                assertRefused(client, client.ask(subject), "bad-subject");
                Event.Failed refused = refusalOfPublish(client, subject);
                assertThat(refused.code()).isIn("bad-subject", "wildcard-not-allowed");
                assertSessionContinues(client);
            }
        }
    }

    private static Event.Failed refusalOfPublish(TestClient client, String subject) {
        client.send(subject, "x");
        return client.expect(Event.Failed.class);
    }

    @ParameterizedTest
    @EnumSource
    void aPatternCannotBePublishedTo(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            assertRefused(client, client.send("/a/*", "x"), "wildcard-not-allowed");
            assertRefused(client, client.askFrom("/a/**", new Position(1, 1)), "wildcard-not-allowed");
            assertSessionContinues(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMessageOverTheSizeLimitIsRefused(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            client.publish("/large", "x".repeat(MAX_BYTES));
            assertRefused(client, client.send("/large", "x".repeat(MAX_BYTES + 1)), "message-too-large");
            assertSessionContinues(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLargestMessageFitsWithAnyEscaping(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            client.subscribe("/escaped");
            String data = "\u0001\"".repeat(MAX_BYTES / 2);
            client.send("/escaped", data);
            assertThat(client.await(Event.Message.class).data()).isEqualTo(data);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSessionThatSendsOnlyTooLargeMessagesIsClosed(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            for (int i = 0; i < 100; i++) {
                client.send("/large", "x".repeat(MAX_BYTES + 1));
            }
            Event.Closed closed = client.await(Event.Closed.class);
            assertThat(closed.code()).isEqualTo(1009);
            assertThat(closed.reason()).startsWith("message-too-large");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSecondSubscribeAndAStrayUnsubscribeAreRefused(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            client.subscribe("/twice");
            assertRefused(client, client.ask("/twice"), "already-subscribed");
            client.subscribe("/twice/*");
            assertRefused(client, client.ask("/twice/*"), "already-subscribed");
            client.unsubscribe("/twice");
            client.frames().send(encoding.opcode(), unsubscribe(encoding, "/twice"));
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("not-subscribed");
            assertSessionContinues(client);
        }
    }

    private static byte[] unsubscribe(WireEncoding encoding, String subject) {
        if (encoding == WireEncoding.JSON) {
            return TestClient.bytes("{\"op\":\"unsubscribe\",\"subject\":\"" + subject + "\"}");
        }
        byte[] name = TestClient.bytes(subject);
        byte[] payload = new byte[name.length + 5];
        payload[0] = 3;
        payload[3] = 1;
        payload[4] = (byte) name.length;
        System.arraycopy(name, 0, payload, 5, name.length);
        return payload;
    }

    @ParameterizedTest
    @EnumSource
    void watchIsUnsupportedWithoutCoupling(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            assertRefused(client, client.watch("/a"), "unsupported");
            assertSessionContinues(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFrameOfTheOtherEncodingClosesTheSession(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            int other = encoding == WireEncoding.JSON ? SocketFrames.BINARY : SocketFrames.TEXT;
            client.frames().send(SocketFrames.FIN | other, TestClient.bytes("{\"op\":\"ping\"}"));
            assertThat(client.frames().close(10).closeCode()).isEqualTo(1003);
            assertThat(client.frames().raw().isEnded()).isTrue();
        }
    }

    @Test
    void commandsWithoutAnIdAreAnsweredOnlyWithErrors() {
        try (TestClient client = TestClient.open(server, WireEncoding.JSON)) {
            client.sendRaw(TestClient.bytes("{\"op\":\"subscribe\",\"subject\":\"/silent\"}"));
            client.sendRaw(TestClient.bytes("{\"op\":\"publish\",\"subject\":\"/silent/not\",\"data\":\"\"}"));
            client.sendRaw(TestClient.bytes("{\"op\":\"connect\"}"));
            client.sendRaw(TestClient.bytes("{\"op\":\"unsubscribe\",\"subject\":\"/silent\"}"));
            client.sendRaw(TestClient.bytes("{\"op\":\"unsubscribe\",\"subject\":\"/silent\"}"));
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("not-subscribed");
            assertSessionContinues(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFailedCommandDoesNotAffectOthersOfTheSameRead(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            client.frames()
                    .raw()
                    .send(client.publicationFrame(1, "/mixed", "one"))
                    .send(SocketFrames.frame(encoding.opcode(), new byte[] {'?'}))
                    .send(client.publicationFrame(2, "/mixed", "two"));
            assertThat(List.of(client.next(), client.next(), client.next()))
                    .hasAtLeastOneElementOfType(Event.Failed.class)
                    .filteredOn(Event.Published.class::isInstance)
                    .hasSize(2);
        }
    }
}
