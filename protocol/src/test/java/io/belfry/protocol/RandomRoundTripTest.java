package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Encodes random values from heap and direct buffers at any offset, and decodes them to equal values. */
class RandomRoundTripTest {
    private static final int ROUNDS = 5_000;
    private static final String[] PIECES = {
        "a", "\"", "\\", "\n", "\0", "/", "é", "日", "🔔", "plain text", "\u007f", "\u2028"
    };

    private final Random random = new Random(7);

    @Test
    void messagesRoundTripInBothEncodings() {
        JsonServerEvents json = new JsonServerEvents();
        for (int i = 0; i < ROUNDS; i++) {
            long epoch = number();
            BinaryServerEvents binary =
                    EventVectors.decoderKnowing(Vectors.JSON.createArrayNode().add(epoch));
            MessageView message = message(epoch);
            RecordedEvents expected = new RecordedEvents();
            expected.onMessage(message);
            assertThat(readBack(new BinaryEncoding(), binary, message)).isEqualTo(expected.all);
            assertThat(readBack(new JsonEncoding(), json, message)).isEqualTo(expected.all);
            message.data().release();
        }
    }

    private static List<? extends JsonNode> readBack(
            ServerEncoding encoding, ServerEventDecoder decoder, MessageView message) {
        ByteBuf out = Unpooled.buffer(1).writeZero(3);
        encoding.message(out, message);
        RecordedEvents read = new RecordedEvents();
        decoder.decode(out, 3, out.writerIndex() - 3, read);
        return read.all;
    }

    private MessageView message(long epoch) {
        long seq = number();
        byte[] subject = subject();
        byte[] data = data();
        ByteBuf buffer = place(subject, data);
        MessageView message = new MessageView()
                .subject(buffer, 5, subject.length)
                .data(buffer, 5 + subject.length, data.length)
                .position(epoch, 0, seq)
                .time(random.nextLong(1L << 48))
                .type(MessageType.of(random.nextInt(4)))
                .retained(random.nextBoolean());
        return seq > 0 && random.nextBoolean() ? message.prev(random.nextLong(seq)) : message;
    }

    private ByteBuf place(byte[] subject, byte[] data) {
        ByteBuf buffer = random.nextBoolean() ? Unpooled.buffer() : Vectors.UNTRACKED.directBuffer();
        return buffer.writeZero(5).writeBytes(subject).writeBytes(data);
    }

    @Test
    void publishesRoundTripInBothEncodings() {
        JsonCommands json = new JsonCommands();
        BinaryCommands binary = new BinaryCommands();
        for (int i = 0; i < ROUNDS; i++) {
            byte[] subject = subject();
            byte[] data = data();
            long id = random.nextBoolean() ? number() : -number();
            boolean retain = random.nextBoolean();
            String msgId = random.nextBoolean() ? "m" + random.nextLong() + "\"é" : null;
            for (ClientEncoding encoding : List.of(new JsonClientEncoding(), new BinaryClientEncoding())) {
                ByteBuf out = Unpooled.buffer();
                encoding.publish(out, id, subject, Unpooled.wrappedBuffer(data), retain, msgId);
                CommandDecoder decoder = encoding instanceof JsonClientEncoding ? json : binary;
                JsonNode read = RecordedCommands.of(decoder, out);
                assertThat(read.get("id").longValue()).isEqualTo(id);
                assertThat(read.get("subject").textValue()).isEqualTo(new String(subject, StandardCharsets.UTF_8));
                assertThat(read.get("hex").textValue()).isEqualTo(ByteBufUtil.hexDump(data));
                assertThat(read.has("retain")).isEqualTo(retain);
                assertThat(read.path("msgId").textValue()).isEqualTo(msgId);
            }
        }
    }

    @Test
    void writtenJsonIsValidForAnotherParser() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            byte[] data = data();
            ByteBuf out = Unpooled.buffer();
            JsonText.string(out, "é\"" + new String(data, StandardCharsets.UTF_8));
            assertThat(Vectors.JSON.readTree(Vectors.text(out)).textValue())
                    .isEqualTo("é\"" + new String(data, StandardCharsets.UTF_8));
            out.clear();
            JsonText.base64(out, Unpooled.wrappedBuffer(data), 0, data.length);
            assertThat(Vectors.text(out)).isEqualTo(Base64.getEncoder().encodeToString(data));
        }
    }

    @Test
    void numbersAreFormattedAsJavaDoes() {
        ArrayNode edges = Vectors.JSON
                .createArrayNode()
                .add(0)
                .add(-1)
                .add(9)
                .add(10)
                .add(99)
                .add(100);
        edges.add(Position.MAX).add(-Position.MAX).add(Long.MAX_VALUE);
        edges.forEach(edge -> assertNumber(edge.longValue()));
        for (int i = 0; i < ROUNDS; i++) {
            assertNumber(random.nextLong() >> random.nextInt(64));
        }
    }

    private static void assertNumber(long value) {
        if (value == Long.MIN_VALUE) {
            return;
        }
        ByteBuf out = Unpooled.buffer();
        JsonText.number(out, value);
        assertThat(Vectors.text(out)).isEqualTo(Long.toString(value));
    }

    /** Returns a number with a random count of digits; the largest number occurs often. */
    private long number() {
        return random.nextInt(50) == 0 ? Position.MAX : random.nextLong(Position.MAX) >> random.nextInt(53);
    }

    private byte[] subject() {
        StringBuilder subject = new StringBuilder();
        for (int segments = 1 + random.nextInt(4); segments > 0; segments--) {
            subject.append('/').append(random.nextInt(1000)).append(random.nextBoolean() ? "é\"" : "x");
        }
        return Vectors.utf8(subject.toString());
    }

    private byte[] data() {
        if (random.nextInt(4) == 0) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            return bytes;
        }
        StringBuilder text = new StringBuilder();
        for (int pieces = random.nextInt(30); pieces > 0; pieces--) {
            text.append(PIECES[random.nextInt(4) == 0 ? random.nextInt(PIECES.length) : 0]);
        }
        return Vectors.utf8(text.toString());
    }
}
