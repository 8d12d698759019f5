package io.belfry.protocol;

import static io.belfry.protocol.CommandHandler.NO_ID;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WireFormatTest {
    private static final byte[] SUBJECT = Vectors.utf8("/a");
    private static final Position AT = new Position(7, 41);
    private static final PatternPosition OF_PATTERNS =
            java.util.Objects.requireNonNull(PatternPosition.of(new byte[] {1, 2, 3}));

    @Test
    void aBinaryMessageAddsAtMostTwentyBytes() {
        for (int length : new int[] {0, 1, 107, 108, 109, 512, 65_000}) {
            ByteBuf out = Unpooled.buffer();
            BelfryFormat.WEBSOCKET_BINARY.message(
                    out, message("x".repeat(length)).prev(MessageView.NO_PREV));
            assertThat(out.readableBytes() - length - SUBJECT.length).isLessThanOrEqualTo(20);
        }
    }

    @Test
    void aFrameHasTheShortestHeaderForItsLength() {
        for (BelfryFormat format : new BelfryFormat[] {BelfryFormat.WEBSOCKET_JSON, BelfryFormat.WEBSOCKET_BINARY}) {
            for (int length : lengths()) {
                // Escapes make the payload longer than the length for which the header was reserved.
                for (String data : new String[] {
                    "x".repeat(length), "\n".repeat(length), "\u0001".repeat(length), "é\"".repeat(length / 3)
                }) {
                    assertFramed(format, data);
                }
            }
        }
    }

    private static List<Integer> lengths() {
        List<Integer> lengths = new ArrayList<>();
        for (int length = 0; length < 140; length++) {
            lengths.add(length);
        }
        for (int length = 65_400; length < 65_540; length += 7) {
            lengths.add(length);
        }
        lengths.addAll(List.of(10_900, 32_700, 32_768, 70_000));
        return lengths;
    }

    private static void assertFramed(WireFormat format, String data) {
        ByteBuf out = Unpooled.buffer().writeInt(1234);
        MessageView message = message(data);
        format.message(out, message);
        format.pong(out, 5, 1_700_000_000_000_000L);
        assertThat(out.readInt()).isEqualTo(1234);
        ByteBuf expected = Unpooled.buffer();
        encoding(format).message(expected, message);
        assertThat(frame(out, format.binary() ? 0x82 : 0x81)).isEqualTo(expected);
        encoding(format).pong(expected.clear(), 5, 1_700_000_000_000_000L);
        assertThat(frame(out, format.binary() ? 0x82 : 0x81)).isEqualTo(expected);
        assertThat(out.isReadable()).isFalse();
    }

    private static ServerEncoding encoding(WireFormat format) {
        return format.binary() ? new BinaryEncoding() : new JsonEncoding();
    }

    private static ByteBuf frame(ByteBuf in, int firstByte) {
        assertThat(in.readUnsignedByte()).isEqualTo((short) firstByte);
        long length = in.readUnsignedByte();
        if (length == 126) {
            length = in.readUnsignedShort();
            assertThat(length).isGreaterThanOrEqualTo(126);
        } else if (length == 127) {
            length = in.readLong();
            assertThat(length).isGreaterThanOrEqualTo(65_536);
        }
        return in.readSlice(Math.toIntExact(length));
    }

    @Test
    void aServerSentEventNamesItsOpAndPosition() {
        ByteBuf out = Unpooled.buffer();
        BelfryFormat.SSE.subscribed(out, NO_ID, SUBJECT, AT, 0, Recovery.NONE);
        BelfryFormat.SSE.message(out, message("text\nof two lines"));
        BelfryFormat.SSE.error(out, NO_ID, Code.OVERLOADED, "later", null);
        assertThat(chunks(out)).containsExactly("""
                        event: subscribed
                        id: 7:41
                        data: {"op":"subscribed","subject":"/a","epoch":7,"seq":41,"recovery":"none"}

                        """, """
                        id: 7:42
                        data: {"op":"message","subject":"/a","data":"text\\nof two lines","epoch":7,"seq":42,"time":1700000000000}

                        """, """
                        event: error
                        data: {"op":"error","code":"overloaded","reason":"later"}

                        """);
    }

    @Test
    void aGapMovesTheIdAsAMessageDoes() {
        ByteBuf out = Unpooled.buffer();
        BelfryFormat.SSE.gap(out, SUBJECT, AT, new Position(7, 57), Code.HISTORY_GONE);
        BelfryFormat.SSE.sseGap(out, SUBJECT, AT, new Position(7, 57), Code.HISTORY_GONE, "7:57,7:9");
        assertThat(chunks(out))
                .satisfiesExactly(
                        alone -> assertThat(alone).startsWith("event: gap\nid: 7:57\ndata: {"),
                        ofSeveral -> assertThat(ofSeveral).startsWith("event: gap\nid: 7:57,7:9\ndata: {"));
    }

    @Test
    void theIdOfAStreamOfPatternsIsAPositionOfPatterns() {
        ByteBuf out = Unpooled.buffer();
        BelfryFormat.SSE_OF_PATTERNS.patternSubscribed(out, NO_ID, SUBJECT, OF_PATTERNS, Recovery.NONE, 0);
        BelfryFormat.SSE_OF_PATTERNS.position(out, OF_PATTERNS);
        BelfryFormat.SSE.ssePatternSubscribed(out, NO_ID, SUBJECT, OF_PATTERNS, Recovery.NONE, 0, "7:41,AQID");
        BelfryFormat.SSE.ssePosition(out, OF_PATTERNS, "7:42,AQID");
        assertThat(chunks(out)).containsExactly("""
                        event: subscribed
                        id: AQID
                        data: {"op":"subscribed","subject":"/a","recovery":"none","at":"AQID"}

                        """, """
                        event: position
                        id: AQID
                        data: {"op":"position","at":"AQID"}

                        """, """
                        event: subscribed
                        id: 7:41,AQID
                        data: {"op":"subscribed","subject":"/a","recovery":"none","at":"AQID"}

                        """, """
                        event: position
                        id: 7:42,AQID
                        data: {"op":"position","at":"AQID"}

                        """);
    }

    @Test
    void aStreamOfPatternsHasNoOtherIds() {
        ByteBuf out = Unpooled.buffer();
        BelfryFormat.SSE_OF_PATTERNS.subscribed(out, NO_ID, SUBJECT, null, 0, Recovery.NONE);
        BelfryFormat.SSE_OF_PATTERNS.message(out, message("x"));
        BelfryFormat.SSE_OF_PATTERNS.gap(out, SUBJECT, AT, new Position(7, 57), Code.HISTORY_GONE);
        assertThat(chunks(out)).hasSize(3).noneMatch(chunk -> chunk.contains("id: "));
    }

    @Test
    void anEventOfSeveralSubjectsHasThePositionsOfAll() {
        ByteBuf out = Unpooled.buffer();
        BelfryFormat.SSE.sseSubscribed(out, NO_ID, SUBJECT, AT, Recovery.GAP, 0, "7:41,");
        BelfryFormat.SSE.sseMessage(out, message("x"), "7:42,7:9");
        assertThat(chunks(out))
                .satisfiesExactly(
                        subscribed -> assertThat(subscribed).startsWith("event: subscribed\nid: 7:41,\ndata: {"),
                        message -> assertThat(message)
                                .startsWith("id: 7:42,7:9\ndata: {")
                                .endsWith("}\n\n"));
    }

    @Test
    void aLineOfNdjsonIsAChunk() {
        ByteBuf out = Unpooled.buffer();
        BelfryFormat.NDJSON.message(out, message("x"));
        BelfryFormat.NDJSON.keepAlive(out);
        BelfryFormat.NDJSON.reconnect(out, 12_000, Code.DRAIN);
        BelfryFormat.NDJSON.close(out, Code.DRAIN);
        assertThat(chunks(out))
                .containsExactly(
                        "{\"op\":\"message\",\"subject\":\"/a\",\"data\":\"x\",\"epoch\":7,\"seq\":42,\"time\":1700000000000}\n",
                        "\n",
                        "{\"op\":\"reconnect\",\"after\":12000,\"reason\":\"drain\"}\n",
                        "");
    }

    @Test
    void aStreamWithoutChunksIsTheContentOfTheChunks() {
        for (BelfryFormat format :
                new BelfryFormat[] {BelfryFormat.SSE, BelfryFormat.SSE_OF_PATTERNS, BelfryFormat.NDJSON}) {
            ByteBuf plain = Unpooled.buffer();
            ByteBuf chunked = Unpooled.buffer();
            writeEveryEvent(format.unchunked(), plain);
            writeEveryEvent(format, chunked);
            assertThat(Vectors.text(plain)).as("%s", format).isEqualTo(String.join("", chunks(chunked)));
            assertThat(format.unchunked().isStream()).isTrue();
            assertThat(format.unchunked().unchunked()).isEqualTo(format.unchunked());
        }
    }

    private static void writeEveryEvent(BelfryFormat format, ByteBuf out) {
        format.subscribed(out, NO_ID, SUBJECT, AT, 0, Recovery.NONE);
        format.message(out, message("text\nof two lines"));
        format.keepAlive(out);
        format.gap(out, SUBJECT, AT, new Position(7, 57), Code.HISTORY_GONE);
        format.error(out, NO_ID, Code.OVERLOADED, "later", null);
        format.patternSubscribed(out, NO_ID, SUBJECT, OF_PATTERNS, Recovery.NONE, 0);
        format.position(out, OF_PATTERNS);
        if (format.unchunked() == BelfryFormat.SSE_UNCHUNKED) {
            format.sseSubscribed(out, NO_ID, SUBJECT, AT, Recovery.GAP, 0, "7:41,");
            format.sseMessage(out, message("x"), "7:42,7:9");
            format.sseGap(out, SUBJECT, AT, new Position(7, 57), Code.HISTORY_GONE, "7:57,7:9");
        }
        format.reconnect(out, 12_000, Code.DRAIN);
        format.close(out, Code.DRAIN);
    }

    private static List<String> chunks(ByteBuf in) {
        List<String> chunks = new ArrayList<>();
        while (in.isReadable()) {
            int crlf = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\r');
            int size = Integer.parseInt(Vectors.text(in.readSlice(crlf - in.readerIndex())), 16);
            assertThat(in.readShort()).isEqualTo((short) 0x0d0a);
            chunks.add(Vectors.text(in.readSlice(size)));
            assertThat(in.readShort()).isEqualTo((short) 0x0d0a);
        }
        return chunks;
    }

    @Test
    void textFromClientsAddsNoLineToAnEvent() {
        String forged = "x\r\n\r\nid: 9:9\ndata: {}\r\u0085\u0000\u2028\"";
        for (BelfryFormat format : new BelfryFormat[] {BelfryFormat.SSE, BelfryFormat.NDJSON}) {
            ByteBuf out = Unpooled.buffer();
            format.message(out, message(forged));
            format.error(out, NO_ID, Code.UNKNOWN_OP, forged, Vectors.utf8(forged));
            format.gap(out, Vectors.utf8(forged), AT, new Position(7, 57), Code.HISTORY_GONE);
            assertThat(chunks(out))
                    .hasSize(3)
                    .allMatch(chunk ->
                            chunk.matches("(event: [a-z]+\n)?(id: 7:[0-9]+\n)?(data: )?\\{[^\\x00-\\x1f]*}\n+"));
        }
    }

    @Test
    void anIdleSessionGetsAPingAnIdleStreamAComment() {
        assertThat(Vectors.hex(idle(BelfryFormat.WEBSOCKET_JSON))).isEqualTo("8900");
        assertThat(Vectors.hex(idle(BelfryFormat.WEBSOCKET_BINARY))).isEqualTo("8900");
        assertThat(chunks(idle(BelfryFormat.SSE))).containsExactly(":\n\n");
    }

    private static ByteBuf idle(WireFormat format) {
        ByteBuf out = Unpooled.buffer();
        format.keepAlive(out);
        return out;
    }

    @Test
    void aCloseFrameHasTheNumberAndTextOfItsCode() {
        for (Code code : Code.values()) {
            ByteBuf out = Unpooled.buffer();
            BelfryFormat.WEBSOCKET_JSON.close(out, code);
            ByteBuf payload = frame(out, 0x88);
            assertThat(payload.readUnsignedShort()).isEqualTo(code.closeCode());
            assertThat(Vectors.text(payload)).isEqualTo(code.text()).hasSizeLessThanOrEqualTo(123);
        }
    }

    @Test
    void anEpochIsDeclaredToBinarySessionsOnly() {
        ByteBuf out = Unpooled.buffer();
        BelfryFormat.WEBSOCKET_JSON.epoch(out, 0, 7);
        BelfryFormat.SSE.epoch(out, 0, 7);
        assertThat(out.isReadable()).isFalse();
        BelfryFormat.WEBSOCKET_BINARY.epoch(out, 0, 7);
        assertThat(Vectors.hex(out)).isEqualTo("820b0c00000000000000000007");
    }

    private static MessageView message(String data) {
        ByteBuf bytes = Vectors.buffer(data);
        return new MessageView()
                .subject(Unpooled.wrappedBuffer(SUBJECT), 0, SUBJECT.length)
                .data(bytes, 0, bytes.readableBytes())
                .position(7, 0, 42)
                .time(1_700_000_000_000L);
    }
}
