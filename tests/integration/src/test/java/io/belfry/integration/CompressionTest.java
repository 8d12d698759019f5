package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.Inflater;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests permessage-deflate on real sockets: the negotiation, compressed messages and decompression bombs. */
final class CompressionTest {
    private static final String OFFER = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits";
    private static final String TOKEN = "Authorization: Bearer wrong-token";
    private static final int FIN_TEXT = SocketFrames.FIN | SocketFrames.RSV1 | SocketFrames.TEXT;
    private static final byte[] FLUSH = {0, 0, (byte) 0xff, (byte) 0xff};

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start("Compression=on", "EntitlementAllowToken=right-token");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static byte[] deflated(byte[] message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, deflater, 8192, true)) {
            out.write(message);
            out.flush();
            return Arrays.copyOf(bytes.toByteArray(), bytes.size() - FLUSH.length);
        } catch (IOException e) {
            throw new AssertionError(e);
        } finally {
            deflater.end();
        }
    }

    private static byte[] deflated(String text) {
        return deflated(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String inflated(SocketFrames.Frame frame) throws DataFormatException {
        int length = frame.payload().remaining();
        byte[] payload = new byte[length + FLUSH.length];
        frame.payload().duplicate().get(payload, 0, length);
        System.arraycopy(FLUSH, 0, payload, length, FLUSH.length);
        Inflater inflater = new Inflater(true);
        inflater.setInput(payload);
        byte[] room = new byte[1 << 20];
        String text = new String(room, 0, inflater.inflate(room), StandardCharsets.UTF_8);
        inflater.end();
        return text;
    }

    @Test
    void messagesAreCompressedOnlyForClientsThatOfferedIt() throws DataFormatException {
        String data = "the same words, ".repeat(50);
        try (SocketFrames compressed = SocketFrames.open(server.port(), OFFER);
                SocketFrames plain = SocketFrames.open(server.port());
                SocketFrames publisher = SocketFrames.open(server.port(), OFFER, "Authorization: Bearer right-token")) {
            assertThat(compressed.handshake().headers().get("sec-websocket-extensions"))
                    .isEqualTo("permessage-deflate; server_no_context_takeover; client_no_context_takeover");
            assertThat(plain.handshake().headers()).doesNotContainKey("sec-websocket-extensions");
            for (SocketFrames subscriber : new SocketFrames[] {compressed, plain}) {
                subscriber.text("{\"op\":\"subscribe\",\"id\":1,\"subject\":\"/c\"}");
                assertThat(subscriber.next().text()).startsWith("{\"op\":\"subscribed\"");
            }
            publisher.send(
                    FIN_TEXT, deflated("{\"op\":\"publish\",\"id\":2,\"subject\":\"/c\",\"data\":\"" + data + "\"}"));
            assertThat(publisher.next().text()).startsWith("{\"op\":\"published\",\"id\":2");
            String whole = plain.next().text();
            assertThat(whole).contains(data);
            SocketFrames.Frame small = compressed.next();
            assertThat(small.payload().remaining()).isLessThan(whole.length() / 3);
            assertThat(inflated(small)).isEqualTo(whole);
        }
    }

    @Test
    void aRefusedHandshakeNegotiatesNoCompression() {
        Http.Answer answer = SocketFrames.ask(server.port(), OFFER, TOKEN);
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.headers()).doesNotContainKey("sec-websocket-extensions");
    }

    private static void assertCloses(int code, String reason, byte[] payload) {
        assertCloses(server, code, reason, payload);
    }

    private static void assertCloses(TestServer server, int code, String reason, byte[] payload) {
        try (SocketFrames frames = SocketFrames.open(server.port(), OFFER)) {
            frames.send(FIN_TEXT, payload);
            SocketFrames.Frame close = frames.close(1);
            assertThat(close.closeCode()).isEqualTo(code);
            assertThat(close.closeReason()).startsWith(reason);
        }
    }

    @Test
    void bombsAndBrokenStreamsCloseOnlyTheirSession() {
        try (SocketFrames witness = SocketFrames.open(server.port(), OFFER)) {
            assertCloses(1009, "message-too-large", deflated(new byte[100 << 20]));
            assertCloses(1007, "bad-deflate", new byte[] {1, 2, 3});
            assertCloses(1007, "bad-utf8", deflated(new byte[] {(byte) 0xff}));
            witness.send(FIN_TEXT, deflated("{\"op\":\"ping\",\"id\":7}"));
            assertThat(witness.next().text()).startsWith("{\"op\":\"pong\",\"id\":7");
        }
    }

    @Test
    void aMessageOverTheInflateRatioClosesTheSession() {
        try (TestServer strict = TestServer.start("Compression=on", "Limit.InflateRatio=100")) {
            assertCloses(strict, 1009, "inflate-ratio", deflated(new byte[300_000]));
        }
    }

    @Test
    void aPublisherOfRepetitiveDataIsNotClosed() throws DataFormatException {
        String row = "{\\\"name\\\":\\\"Hamburg\\\",\\\"value\\\":0},";
        String command = "{\"op\":\"publish\",\"id\":1,\"subject\":\"/rows\",\"data\":\"[" + row.repeat(1000) + "]\"}";
        byte[] payload = deflated(command);
        assertThat(payload.length * 100).as("payload with a ratio over 100").isLessThan(command.length());
        try (SocketFrames publisher = SocketFrames.open(server.port(), OFFER, "Authorization: Bearer right-token")) {
            for (int i = 0; i < 3; i++) {
                publisher.send(FIN_TEXT, payload);
                assertThat(publisher.next().text()).startsWith("{\"op\":\"published\",\"id\":1");
            }
        }
    }

    /** Sends a megabyte of plain text at a limit of a megabyte a second; a tenth is accepted at once. */
    @Test
    void aSessionOverTheInflateRateIsPausedAndNotClosed() {
        try (TestServer strict = TestServer.start("Compression=on", "Limit.InflateRate=1 MB");
                SocketFrames dense = SocketFrames.open(strict.port(), OFFER);
                SocketFrames witness = SocketFrames.open(strict.port(), OFFER)) {
            byte[] payload = deflated("{\"op\":\"ping\",\"id\":1,\"pad\":\"" + "a".repeat(50_000) + "\"}");
            long begun = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                dense.send(FIN_TEXT, payload);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(dense.next().text()).startsWith("{\"op\":\"pong\",\"id\":1");
                witness.text("{\"op\":\"ping\",\"id\":2}");
                assertThat(witness.next().text()).startsWith("{\"op\":\"pong\",\"id\":2");
            }
            assertThat(System.nanoTime() - begun).isGreaterThan(700_000_000L);
        }
    }
}
