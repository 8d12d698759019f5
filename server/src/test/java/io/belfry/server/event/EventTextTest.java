package io.belfry.server.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.event.EventQueue.Item;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the text of messages as events. */
class EventTextTest {
    private static String text(byte[] data, Map<String, String> headers, int bytesMax) {
        PublishedMessage message = new PublishedMessage(7, 42, data, headers, false);
        ApplicationEvent event = ApplicationEvent.ofMessage(5, "/a", "ada", message);
        return new String(EventText.message("n", 3, new Item.Happened(9, event), bytesMax), UTF_8);
    }

    @Test
    void textIsTextAndOtherDataIsBase64() {
        String begin =
                "{\"node\":\"n\",\"run\":3,\"seq\":9,\"type\":\"message\",\"time\":5,\"subject\":\"/a\",\"user\":\"ada\",\"position\":\"7:42\",";
        assertThat(text("a\"ü".getBytes(UTF_8), Map.of(), 1_000)).isEqualTo(begin + "\"data\":\"a\\\"ü\"}");
        assertThat(text(new byte[] {0, (byte) 0xff}, Map.of("k", "v"), 1_000))
                .isEqualTo(begin + "\"headers\":{\"k\":\"v\"},\"base64\":\"AP8=\"}");
        assertThat(text(new byte[0], Map.of(), 1_000)).isEqualTo(begin + "\"data\":\"\"}");
    }

    @Test
    void theContentOfALargeMessageIsLeftOut() {
        byte[] data = "x".repeat(500).getBytes(UTF_8);
        String whole = text(data, Map.of(), 1_000);
        assertThat(text(data, Map.of(), whole.length())).isEqualTo(whole);
        assertThat(text(data, Map.of("k", "v"), whole.length()))
                .endsWith("\"position\":\"7:42\",\"dataBytes\":500}")
                .hasSizeLessThan(200);
    }
}
