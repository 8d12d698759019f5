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
 * What a client does wrong, over real sockets and in both encodings: it hears the code that docs/protocol.md names, and
 * two others, a publisher and a subscriber who have nothing to do with it, notice nothing.
 */
final class CommandErrorsTest {
    private static final int MAX_BYTES = 2048;

    private static final String TEN = "/a/bc/defg";
    private static final String HUNDRED = TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN;
    private static final String TOO_LONG = HUNDRED + HUNDRED + TEN + TEN + TEN + TEN + TEN + "/12345";

    private static ServerProcess server;

    private Client witness;
    private Client publisher;
    private Position last;

    @BeforeAll
    static void start() {
        server = ServerProcess.start("MaxMessageSize=" + MAX_BYTES);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void openWitnesses() {
        witness = Client.open(server, Encoding.BINARY);
        publisher = Client.open(server, Encoding.JSON);
        witness.subscribe("/witness");
        last = publisher.publish("/witness", "before");
        assertThat(witness.data(1)).containsExactly("before");
    }

    @AfterEach
    void theWitnessesNoticeNothing() {
        assertThat(publisher.publish("/witness", "after")).isEqualTo(new Position(last.epoch(), last.seq() + 1));
        assertThat(witness.data(1)).containsExactly("after");
        witness.close();
        publisher.close();
    }

    private static void assertGoesOn(Client client) {
        client.ping(4711);
        assertThat(client.next()).isEqualTo(new Event.Pong(4711));
    }

    private static void assertRefused(Client client, long id, String code) {
        Event.Failed error = client.expect(Event.Failed.class);
        assertThat(error.code()).as(error.reason()).isEqualTo(code);
        assertThat(error.id()).isEqualTo(id);
    }

    @ParameterizedTest
    @EnumSource
    void anUnknownCommandIsRefusedAndTheSessionGoesOn(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
            client.sendRaw(
                    encoding == Encoding.JSON
                            ? Client.bytes("{\"op\":\"fly\",\"id\":9}")
                            : new byte[] {0x7F, 0x01, 0, 0, 0, 0, 0, 0, 0, 9});
            assertRefused(client, 9, "unknown-op");
            assertGoesOn(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNoCommandIsRefusedAndTheSessionGoesOn(Encoding encoding) {
        List<byte[]> garbage = encoding == Encoding.JSON
                ? List.of(Client.bytes("{\"op\":"), Client.bytes("[]"), Client.bytes("{}{}"), new byte[0])
                : List.of(new byte[] {0x04}, new byte[] {0x04, 0x00, 0x09, 0x2f}, new byte[] {0x06, 0x40}, new byte[0]);
        String code = encoding == Encoding.JSON ? "bad-json" : "bad-frame";
        for (byte[] payload : garbage) {
            try (Client client = Client.open(server, encoding)) {
                client.sendRaw(payload);
                assertThat(client.expect(Event.Failed.class).code()).isEqualTo(code);
                assertGoesOn(client);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatSendsNothingButGarbageIsClosed(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
            for (int i = 0; i < 100; i++) {
                client.sendRaw(new byte[] {'?'});
            }
            Event.Closed closed = client.await(Event.Closed.class);
            assertThat(closed.code()).isEqualTo(1008);
            assertThat(closed.reason()).startsWith(encoding == Encoding.JSON ? "bad-json" : "bad-frame");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "/", "/a/", "/a//b", "/a b\u0001", "/a/*b", "/$SYS/x", "/a/**/b", TOO_LONG})
    void aBadSubjectIsRefusedAndTheSessionGoesOn(String subject) {
        for (Encoding encoding : Encoding.values()) {
            if (encoding == Encoding.BINARY && subject.length() > 255) {
                continue; // its length has no place in the frame
            }
            try (Client client = Client.open(server, encoding)) {
                assertRefused(client, client.ask(subject), "bad-subject");
                Event.Failed refused = refusalOfPublish(client, subject);
                assertThat(refused.code()).isIn("bad-subject", "wildcard-not-allowed");
                assertGoesOn(client);
            }
        }
    }

    private static Event.Failed refusalOfPublish(Client client, String subject) {
        client.send(subject, "x");
        return client.expect(Event.Failed.class);
    }

    @ParameterizedTest
    @EnumSource
    void aPatternCannotBePublishedTo(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
            assertRefused(client, client.send("/a/*", "x"), "wildcard-not-allowed");
            assertRefused(client, client.askFrom("/a/**", new Position(1, 1)), "wildcard-not-allowed");
            assertGoesOn(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMessageOverTheLimitIsRefusedAndTheLargestIsNot(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
            client.publish("/large", "x".repeat(MAX_BYTES));
            assertRefused(client, client.send("/large", "x".repeat(MAX_BYTES + 1)), "message-too-large");
            assertGoesOn(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLargestMessageFitsHoweverItIsEscaped(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
            client.subscribe("/escaped");
            String data = "\u0001\"".repeat(MAX_BYTES / 2);
            client.send("/escaped", data);
            assertThat(client.await(Event.Message.class).data()).isEqualTo(data);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatSendsNothingButTooLargeMessagesIsClosed(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
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
    void whatIsSubscribedTwiceOrNotAtAllIsRefused(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
            client.subscribe("/twice");
            assertRefused(client, client.ask("/twice"), "already-subscribed");
            client.subscribe("/twice/*");
            assertRefused(client, client.ask("/twice/*"), "already-subscribed");
            client.unsubscribe("/twice");
            client.frames().send(encoding.opcode(), unsubscribe(encoding, "/twice"));
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("not-subscribed");
            assertGoesOn(client);
        }
    }

    private static byte[] unsubscribe(Encoding encoding, String subject) {
        if (encoding == Encoding.JSON) {
            return Client.bytes("{\"op\":\"unsubscribe\",\"subject\":\"" + subject + "\"}");
        }
        byte[] name = Client.bytes(subject);
        byte[] payload = new byte[name.length + 5];
        payload[0] = 3;
        payload[3] = 1;
        payload[4] = (byte) name.length;
        System.arraycopy(name, 0, payload, 5, name.length);
        return payload;
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotBuiltOrSwitchedOffIsSaidToBeUnsupported(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
            assertRefused(client, client.watch("/a"), "unsupported");
            assertGoesOn(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFrameOfTheOtherKindEndsTheSession(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
            int other = encoding == Encoding.JSON ? Frames.BINARY : Frames.TEXT;
            client.frames().send(Frames.FIN | other, Client.bytes("{\"op\":\"ping\"}"));
            assertThat(client.frames().close(10).closeCode()).isEqualTo(1003);
            assertThat(client.frames().raw().isEnded()).isTrue();
        }
    }

    @Test
    void commandsWithoutAnIdAreAnsweredByErrorsOnly() {
        try (Client client = Client.open(server, Encoding.JSON)) {
            client.sendRaw(Client.bytes("{\"op\":\"subscribe\",\"subject\":\"/silent\"}"));
            client.sendRaw(Client.bytes("{\"op\":\"publish\",\"subject\":\"/silent/not\",\"data\":\"\"}"));
            client.sendRaw(Client.bytes("{\"op\":\"connect\"}"));
            client.sendRaw(Client.bytes("{\"op\":\"unsubscribe\",\"subject\":\"/silent\"}"));
            client.sendRaw(Client.bytes("{\"op\":\"unsubscribe\",\"subject\":\"/silent\"}"));
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("not-subscribed");
            assertGoesOn(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anErrorOfOneCommandLeavesTheOthersOfTheSameReadAlone(Encoding encoding) {
        try (Client client = Client.open(server, encoding)) {
            client.frames()
                    .raw()
                    .send(client.publicationFrame(1, "/mixed", "one"))
                    .send(Frames.frame(encoding.opcode(), new byte[] {'?'}))
                    .send(client.publicationFrame(2, "/mixed", "two"));
            assertThat(List.of(client.next(), client.next(), client.next()))
                    .hasAtLeastOneElementOfType(Event.Failed.class)
                    .filteredOn(Event.Published.class::isInstance)
                    .hasSize(2);
        }
    }
}
