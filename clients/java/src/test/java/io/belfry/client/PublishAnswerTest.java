package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which responses to a publish over HTTP settle the publish. */
final class PublishAnswerTest {
    private final PublishAnswer answer = new PublishAnswer();

    private void read(int status, String text) {
        answer.read(status, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    /**
     * A server that stops while a publish waits for its disk does not know whether the publish was stored, so the
     * client must repeat it.
     */
    @Test
    void theEndOfAConnectionDoesNotRejectThePublish() {
        Map.of("drain", true, "not-ready", true, "retained-full", false, "internal", false)
                .forEach((code, ofConnection) -> {
                    read(503, "{\"code\":\"" + code + "\",\"reason\":\"\"}");
                    assertThat(answer.isOfConnection()).as(code).isEqualTo(ofConnection);
                    assertThat(answer.code()).isEqualTo(code);
                });
    }

    /** The server closes an idle connection while a publish is on its way. */
    @Test
    void theEndOfAnIdleConnectionDoesNotRejectThePublish() {
        read(408, "{\"code\":\"ping-timeout\",\"reason\":\"no further request\"}");
        assertThat(answer.isOfConnection()).isTrue();
    }

    @Test
    void aPositionAcknowledgesThePublish() {
        read(200, "{\"subject\":\"/a\",\"epoch\":7,\"seq\":42}");
        assertThat(answer.isOfConnection()).isFalse();
    }
}
