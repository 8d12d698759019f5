package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Decodes truncated, changed and random frames: the result is always one error, never an exception. */
class BrokenFramesTest {
    private static final int ROUNDS = 50_000;

    private final JsonCommands jsonCommands = new JsonCommands();
    private final BinaryCommands binaryCommands = new BinaryCommands();

    @Test
    void everyTruncationOfABinaryCommandIsABadFrame() {
        for (JsonNode vector : Vectors.of("commands.json")) {
            ByteBuf frame = Vectors.hex(vector.get("binary").textValue());
            int fieldsEnd = frame.readableBytes() - dataLength(vector);
            for (int length = 0; length < fieldsEnd; length++) {
                JsonNode refused = RecordedCommands.of(binaryCommands, frame.slice(0, length));
                assertThat(refused.path("code").textValue())
                        .as("%s cut to %d", vector.get("name"), length)
                        .isEqualTo("bad-frame");
            }
        }
    }

    @Test
    void aPublishTruncatedInItsDataIsAShorterPublish() {
        ByteBuf frame = Vectors.hex("0400022f616869");
        assertThat(RecordedCommands.of(binaryCommands, frame.slice(0, 6))
                        .get("hex")
                        .textValue())
                .isEqualTo("68");
        assertThat(RecordedCommands.of(binaryCommands, frame.slice(0, 5))
                        .get("hex")
                        .textValue())
                .isEmpty();
    }

    @Test
    void everyTruncationOfAJsonCommandIsRejected() {
        for (JsonNode vector : Vectors.of("commands.json")) {
            ByteBuf frame = Vectors.buffer(vector.get("json").textValue());
            for (int length = 0; length < frame.readableBytes(); length++) {
                JsonNode refused = RecordedCommands.of(jsonCommands, frame.slice(0, length));
                assertThat(refused.path("code").textValue()).isIn("bad-json", "bad-utf8");
                assertThat(refused.has("id")).isFalse();
            }
        }
    }

    @Test
    void aCommandMayHaveAThousandSubjects() {
        for (int count : new int[] {1000, 1001, 60_000}) {
            List<String> subjects = new ArrayList<>();
            ByteBuf binary = Unpooled.buffer().writeByte(0x02).writeByte(0).writeShort(count);
            for (int i = 0; i < count; i++) {
                subjects.add("\"/a\"");
                binary.writeByte(2).writeBytes(Vectors.utf8("/a"));
            }
            String json = "{\"op\":\"subscribe\",\"subjects\":[" + String.join(",", subjects) + "]}";
            for (JsonNode told : List.of(
                    RecordedCommands.of(jsonCommands, Vectors.buffer(json)),
                    RecordedCommands.of(binaryCommands, binary))) {
                assertThat(told.path("code").asText("none")).isEqualTo(count == 1000 ? "none" : "bad-request");
            }
        }
    }

    @Test
    void anUnpairedSurrogateIsRejectedInEveryString() {
        for (String half : new String[] {"\\ud800", "\\udc00", "\\udc00\\ud800", "a\\ud83d", "\\ud83dx"}) {
            for (String command : new String[] {
                "{\"op\":\"%s\"}",
                "{\"op\":\"connect\",\"token\":\"%s\"}",
                "{\"op\":\"subscribe\",\"subject\":\"/%s\"}",
                "{\"op\":\"subscribe\",\"subjects\":[\"/%s\"]}",
                "{\"op\":\"publish\",\"subject\":\"/a\",\"data\":\"%s\"}",
                "{\"op\":\"publish\",\"subject\":\"/a\",\"data\":\"\",\"msgId\":\"%s\"}"
            }) {
                JsonNode refused = RecordedCommands.of(jsonCommands, Vectors.buffer(command.formatted(half)));
                assertThat(refused.path("code").asText()).as(command).isEqualTo("bad-request");
                assertThat(refused.path("reason").asText()).endsWith("an unpaired surrogate");
            }
        }
        JsonNode whole =
                RecordedCommands.of(jsonCommands, Vectors.buffer("{\"op\":\"connect\",\"token\":\"\\ud83d\\udd14x\"}"));
        assertThat(whole.path("token").asText()).isEqualTo("🔔x");
    }

    @Test
    void everyTruncationOfABinaryEventIsRejected() {
        for (JsonNode vector : Vectors.of("events.json")) {
            ByteBuf frame = Vectors.hex(vector.get("binary").textValue());
            int fieldsEnd = frame.readableBytes() - dataLength(vector);
            for (int length = 0; length < fieldsEnd; length++) {
                BinaryServerEvents decoder = EventVectors.decoderKnowing(vector.path("epochs"));
                JsonNode event = RecordedEvents.of(decoder, frame.slice(0, length));
                assertThat(op(event))
                        .as("%s cut to %d", vector.get("name"), length)
                        .isEqualTo("bad");
            }
        }
    }

    /** Regression test for a finding of the fuzzer: seven bytes hold larger values than a position may have. */
    @Test
    void aPositionOutOfRangeIsRejectedInEveryEvent() {
        String message = "%s00%s018bcfe56800022f61%s6869";
        for (String frame : new String[] {
            message.formatted("80", "20000000000001", ""),
            message.formatted("80", "ffffffffffffff", ""),
            message.formatted("88", "00000000000005", "00000006")
        }) {
            BinaryServerEvents decoder =
                    EventVectors.decoderKnowing(Vectors.JSON.createArrayNode().add(7));
            assertThat(op(RecordedEvents.of(decoder, Vectors.hex(frame))))
                    .as(frame)
                    .isEqualTo("bad");
        }
        for (String part :
                new String[] {"\"seq\":9007199254740993", "\"seq\":5,\"prev\":-2", "\"seq\":5,\"prev\":9e3"}) {
            String json = "{\"op\":\"message\",\"subject\":\"/a\",\"data\":\"\",\"epoch\":7," + part + ",\"time\":1}";
            assertThat(op(RecordedEvents.of(new JsonServerEvents(), Vectors.buffer(json))))
                    .as(part)
                    .isEqualTo("bad");
        }
    }

    private static String op(@Nullable JsonNode event) {
        return event == null ? "none" : event.get("op").textValue();
    }

    private static int dataLength(JsonNode vector) {
        JsonNode fields = vector.get("fields");
        boolean isMessage = fields.path("op").asText().equals("message");
        String data = isMessage && fields.has("delta") ? "delta" : "hex";
        return fields.path(data).asText().length() / 2;
    }

    @Test
    void invalidUtf8IsRejectedAsBadUtf8() {
        ByteBuf frame = Vectors.hex("7b226f70223a22ff227d");
        assertThat(RecordedCommands.of(jsonCommands, frame).get("code").textValue())
                .isEqualTo("bad-utf8");
    }

    @Test
    void utf16IsRejected() {
        ByteBuf frame = Unpooled.copiedBuffer("{\"op\":\"ping\"}", StandardCharsets.UTF_16LE);
        assertThat(RecordedCommands.of(jsonCommands, frame).get("code").textValue())
                .isEqualTo("bad-json");
    }

    @Test
    void aDecoderWorksAfterAnError() {
        RecordedCommands.of(jsonCommands, Vectors.buffer("{\"op\":\"subscribe\",\"subject\":\"/a\",\"history\":3"));
        JsonNode next = RecordedCommands.of(jsonCommands, Vectors.buffer("{\"op\":\"subscribe\",\"subject\":\"/b\"}"));
        assertThat(next.toString()).isEqualTo("{\"op\":\"subscribe\",\"subjects\":[\"/b\"]}");
    }

    @Test
    void aMessageWithAnUndeclaredEpochIsRejected() {
        BinaryServerEvents decoder =
                EventVectors.decoderKnowing(Vectors.JSON.createArrayNode().add(7));
        RecordedEvents.of(decoder, Vectors.hex("0c00020000000000000009"));
        for (String index : List.of("01", "03")) {
            JsonNode event =
                    RecordedEvents.of(decoder, Vectors.hex("80" + index + "0000000000002a018bcfe56800022f616869"));
            assertThat(op(event)).isEqualTo("bad");
        }
    }

    @Test
    void eventsAndFieldsOfALaterVersionAreIgnored() {
        assertThat(RecordedEvents.of(new BinaryServerEvents(), Vectors.hex("7f00aabb")))
                .isNull();
        assertThat(RecordedEvents.of(new JsonServerEvents(), Vectors.buffer("{\"op\":\"later\"}")))
                .isNull();
        JsonNode pong = RecordedEvents.of(new BinaryServerEvents(), Vectors.hex("0680aabb"));
        assertThat(pong).hasToString("{\"op\":\"pong\"}");
    }

    @Test
    void randomBytesNeverThrow() {
        Random random = new Random(42);
        List<byte[]> frames = allFrames();
        JsonServerEvents jsonEvents = new JsonServerEvents();
        BinaryServerEvents binaryEvents =
                EventVectors.decoderKnowing(Vectors.JSON.createArrayNode().add(7));
        for (int i = 0; i < ROUNDS; i++) {
            ByteBuf frame = Unpooled.wrappedBuffer(i % 4 == 0 ? noise(random) : changed(frames, random));
            RecordedCommands.of(jsonCommands, frame);
            RecordedCommands.of(binaryCommands, frame);
            RecordedEvents.of(jsonEvents, frame);
            RecordedEvents.of(binaryEvents, frame);
        }
    }

    private static byte[] noise(Random random) {
        byte[] bytes = new byte[random.nextInt(64)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] changed(List<byte[]> frames, Random random) {
        byte[] bytes = frames.get(random.nextInt(frames.size())).clone();
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            bytes[random.nextInt(bytes.length)] =
                    (byte) (random.nextBoolean() ? random.nextInt() : ' ' + random.nextInt(95));
        }
        return bytes;
    }

    private static List<byte[]> allFrames() {
        List<byte[]> frames = new ArrayList<>();
        for (String file : List.of("commands.json", "events.json")) {
            for (JsonNode vector : Vectors.of(file)) {
                frames.add(Vectors.hex(vector.get("binary").textValue()).array());
                if (vector.has("json")) {
                    frames.add(Vectors.utf8(vector.get("json").textValue()));
                }
            }
        }
        return frames;
    }
}
