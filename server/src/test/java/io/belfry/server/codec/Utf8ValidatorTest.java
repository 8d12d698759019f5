package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Utf8ValidatorTest {
    private static final List<String> BAD = List.of(
            "80",
            "bf",
            "c0",
            "c080",
            "c1bf",
            "c2",
            "c2c2",
            "e0",
            "e080",
            "e08080",
            "e09fbf",
            "e282",
            "e28228",
            "eda080",
            "edbfbf",
            "edad",
            "f0",
            "f08080",
            "f0808080",
            "f08fbfbf",
            "f09f98",
            "f4908080",
            "f5808080",
            "f8888080",
            "f888808080",
            "fc8480808080",
            "fe",
            "ff",
            "fffe",
            "cebae1bdb9cf83cebcceb5eda080656469746564");

    private static final List<String> GOOD = List.of(
            "",
            "41",
            "7f",
            "00",
            "c280",
            "dfbf",
            "e0a080",
            "ed9fbf",
            "ee8080",
            "efbfbd",
            "efbfbe",
            "efbfbf",
            "f0908080",
            "f09f9880",
            "f48fbfbf",
            "efbbbf",
            "cebae1bdb9cf83cebcceb5");

    @Test
    void validAndInvalidEdgeCasesAreRecognized() {
        BAD.forEach(
                hex -> assertThat(isValid(HexFormat.of().parseHex(hex))).as(hex).isFalse());
        GOOD.forEach(
                hex -> assertThat(isValid(HexFormat.of().parseHex(hex))).as(hex).isTrue());
    }

    @Test
    void edgeCasesOfAllSequencesMatchTheJdk() {
        for (int first = 0; first < 256; first++) {
            for (int second = 0; second < 256; second++) {
                assertAgrees((byte) first, (byte) second);
                for (int third : first < 0xe0 ? new int[0] : new int[] {0x7f, 0x80, 0xbf, 0xc0}) {
                    assertAgrees((byte) first, (byte) second, (byte) third);
                    assertAgrees((byte) first, (byte) second, (byte) third, (byte) 0x80);
                    assertAgrees((byte) first, (byte) second, (byte) third, (byte) 0xbf);
                }
            }
        }
    }

    @Test
    void everyCharacterIsValidAndItsTruncationIsNot() {
        for (int c = 0x80; c <= Character.MAX_CODE_POINT; c++) {
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                continue;
            }
            byte[] bytes = Character.toString(c).getBytes(StandardCharsets.UTF_8);
            if (!isValid(bytes)
                    || Utf8Validator.validate(Utf8Validator.START, Unpooled.wrappedBuffer(bytes), 0, bytes.length - 1)
                            <= 0) {
                throw new AssertionError("U+" + Integer.toHexString(c));
            }
        }
    }

    @Test
    void randomTextInRandomPiecesMatchesTheJdk() {
        Random random = new Random(8);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = randomText(random).getBytes(StandardCharsets.UTF_8);
            for (int changes = random.nextInt(3); changes > 0 && bytes.length > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            ByteBuf buf = Unpooled.wrappedBuffer(bytes);
            int state = Utf8Validator.START;
            for (int at = 0; at < bytes.length && state != Utf8Validator.INVALID; ) {
                int piece = Math.min(bytes.length - at, 1 + random.nextInt(20));
                state = Utf8Validator.validate(state, buf, at, piece);
                at += piece;
            }
            assertThat(state == Utf8Validator.START).isEqualTo(jdkAccepts(bytes));
        }
    }

    @Test
    void validationFailsAtTheFirstInvalidByte() {
        // Each line: the bytes, and how many of them may still begin a valid character.
        assertFailsAfter("c0", 0);
        assertFailsAfter("e080", 1);
        assertFailsAfter("eda0", 1);
        assertFailsAfter("f48fbf41", 3);
        assertFailsAfter("f490", 1);
        assertFailsAfter("f5", 0);
        assertFailsAfter("6161616161616161c3", 9);
        assertFailsAfter("6161616161616161c328", 9);
    }

    private static void assertFailsAfter(String hex, int good) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        ByteBuf buf = Unpooled.wrappedBuffer(bytes);
        for (int length = 0; length <= bytes.length; length++) {
            assertThat(Utf8Validator.validate(Utf8Validator.START, buf, 0, length) == Utf8Validator.INVALID)
                    .as("%s, %d bytes", hex, length)
                    .isEqualTo(length > good);
        }
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(40); i > 0; i--) {
            int c = random.nextInt(10) < 7 ? random.nextInt(128) : random.nextInt(0x110000);
            text.appendCodePoint(c >= 0xd800 && c < 0xe000 ? 'x' : c);
        }
        return text.toString();
    }

    private static void assertAgrees(byte... bytes) {
        if (isValid(bytes) != jdkAccepts(bytes)) {
            throw new AssertionError(HexFormat.of().formatHex(bytes));
        }
    }

    private static boolean isValid(byte[] bytes) {
        return Utf8Validator.isValid(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    }

    private static boolean jdkAccepts(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
