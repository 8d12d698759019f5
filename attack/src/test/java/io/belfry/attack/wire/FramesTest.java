package io.belfry.attack.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class FramesTest {
    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void aFrameIsMaskedAsRfc6455HasIt() {
        assertThat(hex(Frames.frame(Frames.FIN | Frames.TEXT, new byte[] {0, 0, 0, 0, 0})))
                .isEqualTo("81851122334411" + "22334411");
        assertThat(hex(Frames.unmasked(Frames.FIN | Frames.TEXT, "ok".getBytes(StandardCharsets.US_ASCII))))
                .isEqualTo("81026f6b");
        assertThat(hex(Frames.announcing(Frames.FIN | Frames.TEXT, Long.MIN_VALUE)))
                .isEqualTo("81ff800000000000000011223344");
    }

    @Test
    void aServersFramesAreTakenApart() {
        byte[] close = {(byte) 0x88, 2, 0x03, (byte) 0xEA};
        assertThat(Frames.of(close)).singleElement().satisfies(frame -> {
            assertThat(frame.opcode()).isEqualTo(Frames.CLOSE);
            assertThat(frame.closeCode()).isEqualTo(1002);
        });
        assertThat(Frames.of(Frames.unmasked(Frames.FIN | Frames.TEXT, new byte[300])))
                .hasSize(1);
        assertThat(Frames.of(new byte[] {(byte) 0x81, 5, 'h'})).isEmpty();
    }
}
