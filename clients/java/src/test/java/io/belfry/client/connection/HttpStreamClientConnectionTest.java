package io.belfry.client.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** HTTP over an embedded channel: the events do not depend on how the bytes are split into reads and chunks. */
class HttpStreamClientConnectionTest {
    private static final String HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    private final List<String> received = new ArrayList<>();
    private final ClientLoop loop = new ClientLoop("test", 1 << 16, () -> 42);
    private EmbeddedChannel channel = new EmbeddedChannel();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        loop.close();
    }

    private void open(Opening opening) {
        channel.finishAndReleaseAll();
        received.clear();
        channel = new EmbeddedChannel();
        channel.pipeline().addLast(opening.connection(loop, new Recorder(), channel));
        channel.pipeline().fireChannelActive();
    }

    private void read(String bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.UTF_8));
    }

    private static String chunk(String data) {
        return Integer.toHexString(data.length()) + "\r\n" + data + "\r\n";
    }

    private void readInPieces(String bytes, long seed) {
        Random random = new Random(seed);
        for (int at = 0; at < bytes.length() && channel.isOpen(); ) {
            int length = Math.min(bytes.length() - at, 1 + random.nextInt(seed % 2 == 0 ? 3 : 40));
            read(bytes.substring(at, at + length));
            at += length;
        }
    }

    @Test
    void linesAreCompleteHoweverTheyAreSplit() {
        String body = chunk("{\"a\":1}\n") + chunk("\n") + chunk("{\"b\"") + chunk(":2}\n{\"c\":3}\r\n") + "0\r\n\r\n";
        for (int seed = 0; seed < 40; seed++) {
            open(HttpStream.lines("h", "/subscribe?subject=/a", null));
            readInPieces(HEAD + body, seed);
            assertThat(received)
                    .containsExactly(
                            "open",
                            "{\"a\":1}",
                            "{\"b\":2}",
                            "{\"c\":3}",
                            "CLOSED_BY_SERVER the server ended the stream");
        }
    }

    @Test
    void serverSentEventsHaveTheirIds() {
        String body = chunk("event: subscribed\nid: 7:1\ndata: {\"s\"}\n\n")
                + chunk(":\n\n")
                + chunk("id: 7:2\ndata: {x}\n\n");
        for (int seed = 0; seed < 40; seed++) {
            open(HttpStream.serverSentEvents("h", "/subscribe?subject=/a", "t"));
            readInPieces(HEAD + body, seed);
            assertThat(received).containsExactly("open", "id 7:1", "{\"s\"}", "id 7:2", "{x}");
        }
    }

    @Test
    void aStreamWithoutChunksEndsWithTheConnection() {
        open(HttpStream.lines("h", "/", null));
        read("HTTP/1.1 200 OK\r\n\r\n{1}\n{2}\n");
        channel.close();
        assertThat(received).containsExactly("open", "{1}", "{2}", "LOST the connection was lost");
    }

    @Test
    void anErrorResponseIsReportedWithItsCode() {
        open(HttpStream.lines("h", "/", null));
        read("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 20\r\n\r\n{\"code\":");
        assertThat(received).isEmpty();
        read("\"not-ready\"}");
        assertThat(received)
                .containsExactly(
                        "REFUSED the server answered \"HTTP/1.1 503 Busy\": {\"code\":\"not-ready\"} not-ready 7000");
    }

    @Test
    void anInvalidChunkEndsTheConnection() {
        open(HttpStream.lines("h", "/", null));
        read(HEAD + "3\r\n{1}4");
        assertThat(received).last().asString().startsWith("BAD_FRAME");
        open(HttpStream.lines("h", "/", null));
        read(HEAD + "x\r\n");
        assertThat(received).last().asString().startsWith("BAD_FRAME");
    }

    @Test
    void responsesKeepTheirOrderHoweverTheyAreSplit() {
        String answers = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none"
                + "HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("tw") + chunk("o") + "0\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfour";
        for (int seed = 0; seed < 40; seed++) {
            open(HttpCalls.to("h", null));
            readInPieces(answers, seed);
            assertThat(received)
                    .containsExactly(
                            "open",
                            "200 one",
                            "403 two",
                            "200 ",
                            "200 four",
                            "CLOSED_BY_SERVER the server closed the connection after its response");
        }
    }

    /** Records its calls. */
    private final class Recorder implements ConnectionListener {
        @Override
        public void onOpen(ServerConnection connection) {
            received.add("open");
        }

        @Override
        public void onMessage(
                ServerConnection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
            received.add(bytes.toString(offset, length, StandardCharsets.UTF_8));
        }

        @Override
        public void onEventId(ServerConnection from, ByteBuf bytes, int offset, int length) {
            received.add("id " + bytes.toString(offset, length, StandardCharsets.UTF_8));
        }

        @Override
        public void onAnswer(ServerConnection from, int status, ByteBuf body) {
            received.add(status + " " + body.toString(StandardCharsets.UTF_8));
        }

        @Override
        public void onEnd(Ending ending) {
            String details = ending.code().isEmpty() ? "" : " " + ending.code() + " " + ending.retryAfterMillis();
            received.add(ending.cause() + " " + ending.sentence() + details);
        }
    }
}
