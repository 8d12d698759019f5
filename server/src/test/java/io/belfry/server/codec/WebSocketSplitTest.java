package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.TestScope;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that the decoded events do not depend on how the bytes are split into reads. */
class WebSocketSplitTest {
    private static final WebSocketLimits LIMITS = WebSocketLimits.of(1 << 20, 8192);

    private final Bytes heap = Bytes.heap();
    private final Bytes direct = Bytes.direct();

    @Test
    void everySplitIntoThreeReadsYieldsTheSameEvents() {
        byte[] wire = new ClientFrames()
                .text("hä")
                .frame(0x01, "a€".getBytes(StandardCharsets.UTF_8))
                .ping("pi")
                .frame(0x00)
                .frame(0x80, "b".getBytes(StandardCharsets.UTF_8))
                .frame(0x82, new byte[130])
                .frame(0x8a)
                .close(1000, "ü")
                .bytes();
        List<String> whole = events(heap, wire);
        assertThat(whole)
                .containsExactly(
                        "text hä", "ping pi", "text a€b", "binary " + "00".repeat(130), "pong ", "close 1000 ü");
        for (int first = 0; first <= wire.length; first++) {
            for (int second = first; second <= wire.length; second++) {
                assertThat(events(heap, wire, first, second)).isEqualTo(whole);
            }
        }
    }

    @Test
    void readsOfOneByteYieldTheSameEvents() {
        byte[] wire = new ClientFrames()
                .frame(0x02, new byte[70_000])
                .ping("x".repeat(125))
                .frame(0x80, new byte[126])
                .text("\ud83d\ude00")
                .close(1001, "")
                .bytes();
        int[] everywhere = new int[wire.length];
        for (int i = 0; i < everywhere.length; i++) {
            everywhere[i] = i;
        }

        assertThat(events(heap, wire, everywhere)).isEqualTo(events(direct, wire));
    }

    @Test
    void randomFragmentsInRandomReadsAreDecoded() {
        Random random = new Random(20261120);
        for (int round = 0; round < 2000; round++) {
            List<String> expected = new ArrayList<>();
            byte[] wire = conversation(random, expected);
            int[] splits =
                    random.ints(random.nextInt(12), 0, wire.length + 1).sorted().toArray();

            assertThat(events(round % 2 == 0 ? heap : direct, wire, splits)).isEqualTo(expected);
        }
    }

    @Test
    void randomBytesCauseAtMostOneFailure() {
        Random random = new Random(3);
        for (int round = 0; round < TestScope.length(5000, 1000); round++) {
            byte[] wire = conversation(random, new ArrayList<>());
            for (int changes = 1 + random.nextInt(4); changes > 0 && wire.length > 0; changes--) {
                wire[random.nextInt(wire.length)] = (byte) random.nextInt(256);
            }
            List<String> whole = events(heap, wire);
            int[] splits = random.ints(5, 0, wire.length + 1).sorted().toArray();

            assertThat(whole.stream().filter(event -> event.startsWith("failure")))
                    .hasSizeLessThanOrEqualTo(1);
            assertThat(events(heap, wire, splits)).isEqualTo(whole);
        }
    }

    /** Like Autobahn 9: 4 MB in fragments of 64 bytes. */
    @Test
    void aLargeMessageInSmallFragmentsIsDecoded() {
        int fragments = 65536;
        byte[] fragment = new byte[64];
        ByteBuf wire = Unpooled.buffer(fragments * 70);
        byte[] begin = new ClientFrames().frame(0x02, fragment).bytes();
        byte[] middle = new ClientFrames().frame(0x00, fragment).bytes();
        byte[] end = new ClientFrames().frame(0x80, fragment).bytes();
        wire.writeBytes(begin);
        for (int i = 0; i < fragments - 2; i++) {
            wire.writeBytes(middle);
        }
        wire.writeBytes(end);
        int[] length = new int[1];
        WebSocketFrameDecoder decoder = new RecordedFrames(WebSocketLimits.of(4 << 20, 8192)) {
            @Override
            protected void onMessage(ByteBuf buf, int offset, int bytes, boolean text) {
                length[0] = bytes;
            }
        };
        while (wire.isReadable()) {
            ByteBuf read = direct.of(new byte[0]).writeBytes(wire, Math.min(wire.readableBytes(), 8192));
            decoder.onBytes(read);
            assertThat(decoder.isFinished()).isFalse();
            read.release();
        }

        assertThat(length[0]).isEqualTo(4 << 20);
        assertThat(direct.unreleased()).isZero();
    }

    private static byte[] conversation(Random random, List<String> expected) {
        ClientFrames frames = new ClientFrames(random);
        for (int messages = random.nextInt(6); messages > 0; messages--) {
            boolean text = random.nextBoolean();
            byte[] payload = text ? randomText(random) : randomBytes(random);
            int fragments = 1 + random.nextInt(4);
            int from = 0;
            for (int i = 0; i < fragments; i++) {
                int to = i == fragments - 1 ? payload.length : from + random.nextInt(payload.length - from + 1);
                int opcode = i > 0 ? 0 : text ? 1 : 2;
                frames.frame((i == fragments - 1 ? 0x80 : 0) | opcode, Arrays.copyOfRange(payload, from, to));
                from = to;
                if (i < fragments - 1 && random.nextInt(3) == 0) {
                    frames.ping("p" + i);
                    expected.add("ping p" + i);
                }
            }
            expected.add(
                    text
                            ? "text " + new String(payload, StandardCharsets.UTF_8)
                            : "binary " + ByteBufUtil.hexDump(payload));
        }
        return frames.bytes();
    }

    private static byte[] randomBytes(Random random) {
        byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 70_000 : 300)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(100); i > 0; i--) {
            int c = random.nextBoolean() ? random.nextInt(128) : random.nextInt(0x110000);
            text.appendCodePoint(c >= 0xd800 && c < 0xe000 ? 'x' : c);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> events(Bytes bytes, byte[] wire, int... splits) {
        RecordedFrames recorded = new RecordedFrames(LIMITS);
        int from = 0;
        for (int i = 0; i <= splits.length; i++) {
            int to = i == splits.length ? wire.length : splits[i];
            ByteBuf read = bytes.of(wire, from, to);
            recorded.onBytes(read);
            assertThat(read.isReadable()).isFalse();
            read.release();
            from = to;
        }
        recorded.release();
        assertThat(bytes.unreleased()).isZero();
        return recorded.events;
    }
}
