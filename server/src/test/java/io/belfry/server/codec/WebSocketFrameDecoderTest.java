package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class WebSocketFrameDecoderTest {
    private static final WebSocketLimits LIMITS = new WebSocketLimits(1000, 8, 8192, null);
    private static final String FAILURE = "failure protocol-error";

    private final Bytes bytes = Bytes.heap();

    @Test
    void aCompleteFrameIsPassedOnWithoutACopy() {
        ByteBuf in = bytes.of(frames().text("hällo").bytes());
        List<ByteBuf> seen = new ArrayList<>();

        new RecordedFrames(LIMITS) {
            @Override
            protected void onMessage(ByteBuf buf, int offset, int length, boolean text) {
                seen.add(buf);
            }
        }.onBytes(in);

        assertThat(seen).singleElement().isSameAs(in);
        in.release();
    }

    @Test
    void framesOfAllKindsInOneBufferAreDecodedInOrder() {
        assertThat(events(frames().text("a")
                        .frame(0x82, (byte) 1, (byte) 0xff)
                        .ping("p")
                        .frame(0x8a)
                        .text("")))
                .containsExactly("text a", "binary 01ff", "ping p", "pong ", "text ");
    }

    @Test
    void fragmentsAreJoinedAroundControlFrames() {
        assertThat(events(frames().frame(0x01, utf8("a"))
                        .ping("1")
                        .frame(0x00)
                        .frame(0x8a, utf8("2"))
                        .frame(0x00, utf8("b"))
                        .frame(0x80, utf8("c"))
                        .text("next")))
                .containsExactly("ping 1", "pong 2", "text abc", "text next");
        assertThat(events(frames().frame(0x02).frame(0x00).frame(0x80))).containsExactly("binary ");
        assertThat(events(frames().frame(0x02, (byte) 1).frame(0x80, (byte) 2))).containsExactly("binary 0102");
    }

    @Test
    void aCharacterMayBeSplitBetweenFragments() {
        assertThat(events(frames().hex(0x01, "f09f").hex(0x00, "98").ping("x").hex(0x80, "80")))
                .containsExactly("ping x", "text \ud83d\ude00");
    }

    @Test
    void lengthsAtTheEdgesOfTheirEncodingsAreAccepted() {
        WebSocketLimits large = WebSocketLimits.of(100_000, 8192);
        for (int length : new int[] {0, 1, 125, 126, 127, 65535, 65536, 100_000}) {
            assertThat(events(large, frames().frame(0x82, new byte[length])))
                    .containsExactly("binary " + "00".repeat(length));
        }
    }

    @Test
    void reservedBitsAndOpcodesAreRefused() {
        for (int first :
                new int[] {0xc1, 0xa1, 0x91, 0xf1, 0x83, 0x84, 0x85, 0x86, 0x87, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f}) {
            assertThat(events(frames().text("a").frame(first, utf8("x")).text("never")))
                    .containsExactly("text a", FAILURE);
        }
    }

    @Test
    void aViolationIsReportedAtItsFirstByte() {
        assertThat(events(frames().raw("c1"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("83"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("80"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("09"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("8100"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("89fe"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("81"))).isEmpty();
        assertThat(events(frames().raw("8180"))).isEmpty();
    }

    @Test
    void framesWithoutAMaskAreRefused() {
        assertThat(events(frames().raw("810161"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("8900"))).containsExactly(FAILURE);
    }

    @Test
    void fragmentedAndLongControlFramesAreRefused() {
        for (int opcode : new int[] {8, 9, 10}) {
            assertThat(events(frames().frame(opcode))).containsExactly(FAILURE);
            assertThat(events(frames().frame(0x80 | opcode, new byte[126]))).containsExactly(FAILURE);
            assertThat(events(frames().raw("8" + Integer.toHexString(opcode) + "ff")))
                    .containsExactly(FAILURE);
        }
        assertThat(events(frames().ping("x".repeat(125)))).containsExactly("ping " + "x".repeat(125));
    }

    @Test
    void lengthsThatAreNotMinimallyEncodedAreRefused() {
        assertThat(events(frames().raw("82fe007d00000000"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("82fe000000000000"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("82ff000000000000ffff00000000"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("82ff000000000000000100000000"))).containsExactly(FAILURE);
    }

    @Test
    void aLengthWithTheHighestBitIsRefused() {
        assertThat(events(frames().raw("82ff800000000000000000000000"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("82ffffffffffffffffff00000000"))).containsExactly(FAILURE);
        assertThat(events(frames().raw("82ff7fffffffffffffff00000000"))).containsExactly("failure message-too-large");
    }

    @Test
    void fragmentsOutOfOrderAreRefused() {
        assertThat(events(frames().frame(0x80))).containsExactly(FAILURE);
        assertThat(events(frames().frame(0x00))).containsExactly(FAILURE);
        assertThat(events(frames().text("a").frame(0x80, utf8("b")))).containsExactly("text a", FAILURE);
        assertThat(events(frames().frame(0x01, utf8("a")).text("b"))).containsExactly(FAILURE);
        assertThat(events(frames().frame(0x01, utf8("a")).frame(0x01, utf8("b"))))
                .containsExactly(FAILURE);
        assertThat(events(frames().frame(0x01).frame(0x80, utf8("a")).frame(0x80)))
                .containsExactly("text a", FAILURE);
    }

    @Test
    void aMessageOverTheBoundIsRefusedAtItsHeader() {
        assertThat(events(frames().header(0x82, 1001).raw("00000000"))).containsExactly("failure message-too-large");
        assertThat(events(frames().frame(0x82, new byte[1000]))).containsExactly("binary " + "00".repeat(1000));
        assertThat(events(frames().frame(0x02, new byte[600])
                        .header(0x80, Long.MAX_VALUE)
                        .raw("00000000")))
                .containsExactly("failure message-too-large");
        assertThat(events(frames().frame(0x02, new byte[600]).header(0x80, 401).raw("00000000")))
                .containsExactly("failure message-too-large");
        assertThat(events(frames().frame(0x02, new byte[600]).ping("p").frame(0x80, new byte[400])))
                .containsExactly("ping p", "binary " + "00".repeat(1000));
    }

    @Test
    void tooManyFragmentsAreRefusedEvenIfEmpty() {
        ClientFrames allowed = frames().frame(0x01);
        ClientFrames tooMany = frames().frame(0x01);
        for (int i = 0; i < 6; i++) {
            allowed.frame(0x00);
            tooMany.frame(0x00);
        }
        assertThat(events(allowed.ping("").frame(0x80).text("a"))).containsExactly("ping ", "text ", "text a");
        assertThat(events(tooMany.frame(0x00).frame(0x80))).containsExactly("failure message-too-large");
    }

    @Test
    void textThatIsNotUtf8IsRefused() {
        assertThat(events(frames().hex(0x81, "61c328"))).containsExactly("failure bad-utf8");
        assertThat(events(frames().hex(0x81, "61c3"))).containsExactly("failure bad-utf8");
        assertThat(events(frames().hex(0x01, "61c3").hex(0x80, ""))).containsExactly("failure bad-utf8");
        assertThat(events(frames().hex(0x01, "61ff").ping("never"))).containsExactly("failure bad-utf8");
        assertThat(events(frames().hex(0x01, "eda0"))).containsExactly("failure bad-utf8");
        assertThat(events(frames().hex(0x82, "61c328"))).containsExactly("binary 61c328");
        assertThat(events(frames().hex(0x02, "c3").hex(0x80, "28"))).containsExactly("binary c328");
    }

    /** Like Autobahn 6.4.3 and 6.4.4: the fault is in the part of the frame that has arrived. */
    @Test
    void textThatIsNotUtf8IsRefusedBeforeItsFrameIsComplete() {
        byte[] frame =
                frames().hex(0x81, "cebae1bdb9cf83cebcceb5f4908080656469746564").bytes();
        int headerBytes = 6;
        int faultAt = 12;
        for (int length = 1; length < frame.length; length++) {
            List<String> events =
                    events(LIMITS, new ClientFrames().raw(HexFormat.of().formatHex(frame, 0, length)));
            if (length <= headerBytes + faultAt) {
                assertThat(events).as("%d bytes", length).isEmpty();
            } else {
                assertThat(events).as("%d bytes", length).containsExactly("failure bad-utf8");
            }
        }
    }

    @Test
    void aCloseIsTheLastEventAndHasACodeAndAReason() {
        assertThat(events(frames().close(1000, "bye ä").text("never"))).containsExactly("close 1000 bye ä");
        assertThat(events(frames().frame(0x88).text("never"))).containsExactly("close 1005 ");
        assertThat(events(frames().close(1001, "x".repeat(123)))).containsExactly("close 1001 " + "x".repeat(123));
        assertThat(events(frames().frame(0x01, utf8("a")).close(4000, ""))).containsExactly("close 4000 ");
    }

    @Test
    void closesWithReservedCodesAreRefused() {
        assertThat(events(frames().frame(0x88, (byte) 3))).containsExactly(FAILURE);
        for (int code : new int[] {0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535}) {
            assertThat(events(frames().close(code, ""))).as("%d", code).containsExactly(FAILURE);
        }
        for (int code :
                new int[] {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4999}) {
            assertThat(events(frames().close(code, ""))).as("%d", code).containsExactly("close " + code + " ");
        }
        assertThat(events(frames().hex(0x88, "03e8c328"))).containsExactly("failure bad-utf8");
        assertThat(events(frames().hex(0x88, "03e8c3"))).containsExactly("failure bad-utf8");
    }

    @Test
    void bytesAfterAFailureAreDiscarded() {
        RecordedFrames recorded = new RecordedFrames(LIMITS);
        ByteBuf bad = bytes.of(frames().text("a").raw("ff").text("b").bytes());
        ByteBuf good = bytes.of(frames().text("c").bytes());

        recorded.onBytes(bad);
        assertThat(recorded.isFinished()).isTrue();
        recorded.onBytes(good);

        assertThat(recorded.events).containsExactly("text a", FAILURE);
        assertThat(bad.isReadable()).isFalse();
        assertThat(good.isReadable()).isFalse();
        bad.release();
        good.release();
    }

    @Test
    void aHandlerMayReleaseTheDecoderDuringADecode() {
        byte[] wire = frames().frame(0x01, utf8("ab"))
                .frame(0x80, utf8("cd"))
                .text("never")
                .bytes();
        RecordedFrames recorded = new RecordedFrames(LIMITS) {
            @Override
            protected void onMessage(ByteBuf buf, int offset, int length, boolean text) {
                release();
                super.onMessage(buf, offset, length, text);
            }
        };
        ByteBuf in = bytes.of(wire);

        recorded.onBytes(in);

        assertThat(recorded.isFinished()).isTrue();
        assertThat(in.isReadable()).isFalse();
        in.release();
        assertThat(recorded.events).containsExactly("text abcd");
        assertThat(bytes.unreleased()).isZero();
    }

    @Test
    void aHandlerThatThrowsLeaksNoBuffer() {
        ByteBuf in = bytes.of(
                frames().frame(0x01, utf8("ab")).frame(0x80, utf8("cd")).bytes());
        WebSocketFrameDecoder decoder = new RecordedFrames(LIMITS) {
            @Override
            protected void onMessage(ByteBuf buf, int offset, int length, boolean text) {
                throw new IllegalStateException("on purpose");
            }
        };

        assertThatThrownBy(() -> decoder.onBytes(in)).hasMessage("on purpose");

        in.release();
        decoder.release();
        assertThat(bytes.unreleased()).isZero();
    }

    @Test
    void aPartialMessageIsReleasedWithTheConnection() {
        WebSocketFrameDecoder decoder = new RecordedFrames(LIMITS);
        ByteBuf in = bytes.of(frames().frame(0x02, new byte[500])
                .header(0x80, 400)
                .raw("0000000000")
                .bytes());
        decoder.onBytes(in);
        in.release();
        assertThat(bytes.unreleased()).isPositive();

        decoder.release();
        decoder.release();

        assertThat(bytes.unreleased()).isZero();
    }

    @Test
    void anAnnouncedLengthAllocatesOnlyTheFirstBufferAtFirst() {
        WebSocketFrameDecoder decoder = new RecordedFrames(WebSocketLimits.of(16 << 20, 800));
        ByteBuf in =
                bytes.of(frames().header(0x82, 16 << 20).raw("000000000000").bytes());
        decoder.onBytes(in);
        in.release();

        assertThat(bytes.unreleased()).isEqualTo(800);
        decoder.release();
    }

    @Test
    void boundsBelowOneAreRefused() {
        assertThatThrownBy(() -> new WebSocketLimits(0, 1, 8192, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WebSocketLimits(1, 0, 8192, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WebSocketLimits(1, 1, 0, null)).isInstanceOf(IllegalArgumentException.class);
        assertThat(WebSocketLimits.of(65536, 8192).fragmentsMax()).isEqualTo(1024);
        assertThat(WebSocketLimits.of(16 << 20, 8192).fragmentsMax()).isEqualTo(262144);
    }

    private List<String> events(ClientFrames frames) {
        return events(LIMITS, frames);
    }

    private List<String> events(WebSocketLimits limits, ClientFrames frames) {
        RecordedFrames recorded = new RecordedFrames(limits);
        ByteBuf in = bytes.of(frames.bytes());
        recorded.onBytes(in);
        in.release();
        recorded.release();
        assertThat(bytes.unreleased()).isZero();
        return recorded.events;
    }

    private static ClientFrames frames() {
        return new ClientFrames();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
