package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class AttackFramesTest {
    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void framesAreMaskedAsInRfc6455() {
        assertThat(hex(AttackFrames.frame(AttackFrames.FIN | AttackFrames.TEXT, new byte[] {0, 0, 0, 0, 0})))
                .isEqualTo("81851122334411" + "22334411");
        assertThat(hex(AttackFrames.unmasked(
                        AttackFrames.FIN | AttackFrames.TEXT, "ok".getBytes(StandardCharsets.US_ASCII))))
                .isEqualTo("81026f6b");
        assertThat(hex(AttackFrames.announcing(AttackFrames.FIN | AttackFrames.TEXT, Long.MIN_VALUE)))
                .isEqualTo("81ff800000000000000011223344");
    }

    @Test
    void theCloseCodeIsThatOfTheCloseFrame() {
        byte[] close = {(byte) 0x88, 2, 0x03, (byte) 0xEA};
        assertThat(AttackFrames.closeCode(close)).hasValue(1002);
        byte[] text = AttackFrames.unmasked(AttackFrames.FIN | AttackFrames.TEXT, new byte[300]);
        assertThat(AttackFrames.closeCode(AttackFrames.joined(text, close))).hasValue(1002);
        assertThat(AttackFrames.closeCode(new byte[] {(byte) 0x88, 0})).hasValue(1005);
        assertThat(AttackFrames.closeCode(text)).isEmpty();
        assertThat(AttackFrames.closeCode(new byte[] {(byte) 0x88, 5, 3})).isEmpty();
    }
}
