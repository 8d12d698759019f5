package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Replays the vectors of headers in both directions, and checks the rules of names and values. */
class MessageHeadersTest {
    private final VectorsTest vectors = new VectorsTest();
    private final Random random = new Random(11);

    @TestFactory
    Stream<DynamicTest> headersAreReadFromBothEncodings() {
        return VectorsTest.each("headers.json", vector -> {
            String fields = VectorsTest.sorted(vector.get("fields"));
            if (vector.has("before")) {
                BinaryServerEvents decoder = EventVectors.decoderKnowing(vector.get("epochs"));
                assertThat(RecordedEvents.of(decoder, hex(vector, "before"))).isNull();
                assertThat(VectorsTest.sorted(RecordedEvents.of(decoder, hex(vector, "binary"))))
                        .isEqualTo(fields);
            } else {
                assertThat(VectorsTest.sorted(vectors.readBinary(vector))).isEqualTo(fields);
            }
            for (String json : texts(vector)) {
                JsonNode read = vector.has("before")
                        ? RecordedEvents.of(new JsonServerEvents(), Vectors.buffer(json))
                        : vectors.read(json);
                assertThat(VectorsTest.sorted(read)).as(json).isEqualTo(fields);
            }
        });
    }

    private static List<String> texts(JsonNode vector) {
        List<String> texts = new java.util.ArrayList<>();
        texts.add(vector.get("json").textValue());
        vector.path("jsonAlso").forEach(each -> texts.add(each.textValue()));
        return texts;
    }

    @TestFactory
    Stream<DynamicTest> headersAreWrittenInBothEncodings() {
        return VectorsTest.each("headers.json", vector -> {
            if (vector.has("before")) {
                MessageView message = EventVectors.message(vector.get("fields"), vector.get("epochs"));
                ByteBuf out = Unpooled.buffer();
                BinaryEncoding.headers(out, message);
                assertThat(Vectors.hex(out)).isEqualTo(vector.get("before").textValue());
            }
            assertThat(Vectors.text(written(false, vector)))
                    .isEqualTo(vector.get("json").textValue());
            assertThat(Vectors.hex(written(true, vector)))
                    .isEqualTo(vector.get("binary").textValue());
        });
    }

    private static ByteBuf written(boolean binary, JsonNode vector) {
        if (vector.has("before")) {
            return EventVectors.written(binary ? new BinaryEncoding() : new JsonEncoding(), vector);
        }
        return VectorsTest.written(binary ? new BinaryClientEncoding() : new JsonClientEncoding(), vector);
    }

    /** The rule that keeps a client of an earlier version safe: unknown ops and unknown bits of the head are ignored. */
    @Test
    void theFramesOfAMessageWithHeadersAreThoseOfOneWithout() {
        JsonNode vector = vector("message-as-drawn-in-the-docs");
        ByteBuf plain = Unpooled.buffer();
        MessageView message = EventVectors.message(vector.get("fields"), vector.get("epochs"));
        BelfryFormat.WEBSOCKET_BINARY.message(plain, message.headers(Unpooled.EMPTY_BUFFER, 0, 0));
        ByteBuf framed = framed(vector, BelfryFormat.WEBSOCKET_BINARY);
        int before = hex(vector, "before").readableBytes() + 2;
        assertThat(framed.getUnsignedByte(2)).isEqualTo((short) 0x10);
        framed.setByte(before + 2, framed.getByte(before + 2) & ~0x20);
        assertThat(framed.slice(before, framed.readableBytes() - before)).isEqualTo(plain);
    }

    private static ByteBuf framed(JsonNode vector, BelfryFormat format) {
        ByteBuf out = Unpooled.buffer();
        format.message(out, EventVectors.message(vector.get("fields"), vector.get("epochs")));
        return out;
    }

    @Test
    void aMessageWithoutTheFrameBeforeHasNoHeaders() {
        JsonNode vector = vector("message-as-drawn-in-the-docs");
        BinaryServerEvents decoder = EventVectors.decoderKnowing(vector.get("epochs"));
        RecordedEvents.of(decoder, hex(vector, "before"));
        RecordedEvents.of(decoder, Vectors.hex("800000000000000029018bcfe56800022f616869"));
        assertThat(VectorsTest.sorted(RecordedEvents.of(decoder, hex(vector, "binary"))))
                .contains("seq=42")
                .doesNotContain("headers");
    }

    @Test
    void everyTruncationOfTheHeadersFrameIsRejected() {
        for (JsonNode vector : Vectors.of("headers.json")) {
            if (vector.has("before")) {
                ByteBuf frame = hex(vector, "before");
                for (int length = 0; length < frame.readableBytes(); length++) {
                    BinaryServerEvents decoder = EventVectors.decoderKnowing(vector.get("epochs"));
                    assertThat(VectorsTest.sorted(RecordedEvents.of(decoder, frame.slice(0, length))))
                            .contains("op=\"bad\"");
                }
            }
        }
    }

    @Test
    void aClientAcceptsNamesThatOnlyAServerMayUse() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("$user", "me");
        headers.put("n".repeat(100), "v");
        JsonNode vector = vector("message-as-drawn-in-the-docs");
        ByteBuf block = Unpooled.buffer();
        MessageHeaders.write(block, headers);
        MessageView message =
                EventVectors.message(vector.get("fields"), vector.get("epochs")).headers(block, 0, block.writerIndex());
        BinaryServerEvents decoder = EventVectors.decoderKnowing(vector.get("epochs"));
        ByteBuf out = Unpooled.buffer();
        BinaryEncoding.headers(out, message);
        RecordedEvents.of(decoder, out);
        new BinaryEncoding().message(out.clear(), message);
        String binary = VectorsTest.sorted(RecordedEvents.of(decoder, out));
        new JsonEncoding().message(out.clear(), message);
        assertThat(VectorsTest.sorted(RecordedEvents.of(new JsonServerEvents(), out)))
                .isEqualTo(binary)
                .contains("$user");
    }

    @Test
    void aDeflatedMessageHasItsHeadersInAFrameBefore() throws DataFormatException {
        FrameDeflater deflater = new FrameDeflater(64);
        JsonNode vector = vector("message-as-drawn-in-the-docs");
        ((ObjectNode) vector.get("fields")).put("hex", "61".repeat(500));
        ByteBuf out = framed(vector, BelfryFormat.WEBSOCKET_BINARY_DEFLATED);
        int before = hex(vector, "before").readableBytes() + 2;
        ByteBuf message = out.copy(before + 4, out.readableBytes() - before - 4);
        assertThat(deflater.deflate(out, 0)).isPositive();
        deflater.release();
        assertThat(out.getUnsignedByte(0)).isEqualTo((short) 0x82);
        assertThat(out.getUnsignedByte(before)).isEqualTo((short) 0xc2);
        Inflater inflater = new Inflater(true);
        ByteBuf compressed = out.slice(before + 2, out.readableBytes() - before - 2);
        inflater.setInput(
                Unpooled.wrappedBuffer(compressed, Vectors.hex("0000ffff")).nioBuffer());
        byte[] inflated = new byte[message.readableBytes()];
        assertThat(inflater.inflate(inflated)).isEqualTo(inflated.length);
        inflater.end();
        assertThat(Unpooled.wrappedBuffer(inflated)).isEqualTo(message);
    }

    @Test
    void randomHeadersRoundTripInBothEncodings() {
        for (int i = 0; i < 5_000; i++) {
            Map<String, String> headers = randomHeaders();
            PublishTerms terms = new PublishTerms(random.nextBoolean(), null, headers);
            for (ClientEncoding encoding : List.of(new JsonClientEncoding(), new BinaryClientEncoding())) {
                ByteBuf out = Unpooled.buffer();
                encoding.publish(out, 1, Vectors.utf8("/a"), Vectors.buffer("data"), terms);
                JsonNode read = RecordedCommands.of(
                        encoding instanceof JsonClientEncoding ? new JsonCommands() : new BinaryCommands(), out);
                assertThat(List.copyOf(VectorsTest.headers(read).entrySet()))
                        .isEqualTo(List.copyOf(headers.entrySet()));
                assertThat(read.get("hex").textValue()).isEqualTo("64617461");
            }
        }
    }

    private Map<String, String> randomHeaders() {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int count = random.nextInt(MessageHeaders.COUNT_MAX + 1); count > 0; count--) {
            headers.put("k" + random.nextInt(1000) + "é\"", "v" + "\n日".repeat(random.nextInt(40)));
        }
        return headers;
    }

    @Test
    void everyTruncationAndChangeOfABlockIsJudgedWithoutAnException() {
        ByteBuf block = Unpooled.buffer();
        MessageHeaders.write(block, Map.of("name", "value", "größe", "日本"));
        for (int length = 0; length < block.readableBytes(); length++) {
            assertThat(MessageHeaders.problem(block, 0, length)).isNotNull();
        }
        for (int i = 0; i < 50_000; i++) {
            ByteBuf changed = block.copy();
            changed.setByte(random.nextInt(changed.readableBytes()), random.nextInt(256));
            if (MessageHeaders.problem(changed, 0, changed.readableBytes()) == null) {
                assertThat(MessageHeaders.count(changed, 0, changed.readableBytes()))
                        .isBetween(1, MessageHeaders.COUNT_MAX);
            }
        }
    }

    @Test
    void theRulesOfAPairApplyOutsideABlockToo() {
        assertThat(MessageHeaders.isPair(utf8("a"), utf8(""))).isTrue();
        for (String name : new String[] {"", "$a", "a\u007f", "a\u0085", "n".repeat(65)}) {
            assertThat(MessageHeaders.isPair(utf8(name), utf8("v"))).as(name).isFalse();
        }
        assertThat(MessageHeaders.isPair(utf8("a"), new byte[] {(byte) 0xff})).isFalse();
        assertThat(MessageHeaders.isPair(utf8("a"), new byte[70_000])).isFalse();
    }

    @Test
    void headersThatDoNotFitTheirLengthsAreNotWritten() {
        ByteBuf out = Unpooled.buffer();
        assertThatThrownBy(() -> MessageHeaders.write(out, Map.of("n".repeat(300), "v")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MessageHeaders.write(out, Map.of("n", "v".repeat(70_000))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MessageHeaders.write(out, Map.of("n", "v".repeat(40_000), "m", "v".repeat(40_000))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void jsonHeadersLongerThanABlockAreRefused() {
        for (String headers : new String[] {
            "{\"n\":\"" + "v".repeat(70_000) + "\"}",
            "{\"n\":\"" + "v".repeat(40_000) + "\",\"m\":\"" + "v".repeat(40_000) + "\"}"
        }) {
            JsonNode refused =
                    vectors.read("{\"op\":\"publish\",\"subject\":\"/a\",\"data\":\"\",\"headers\":" + headers + "}");
            assertThat(refused.path("code").asText()).isEqualTo("bad-headers");
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static JsonNode vector(String name) {
        return Vectors.of("headers.json").stream()
                .filter(each -> each.get("name").textValue().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static ByteBuf hex(JsonNode vector, String member) {
        return Vectors.hex(vector.get(member).textValue());
    }
}
