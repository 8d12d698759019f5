package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeltaBasesTest {
    private static final String DELTA = "6\n2:hi4@0,3WsNHa;";

    private final DeltaBases bases = new DeltaBases();

    private static MessageView message(long seq, String data) {
        byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
        return new MessageView()
                .data(Unpooled.wrappedBuffer(bytes), 0, bytes.length)
                .position(7, 0, seq);
    }

    private static String text(MessageView message) {
        return message.data().toString(message.dataOffset(), message.dataLength(), StandardCharsets.UTF_8);
    }

    @Test
    void aDeltaCompletesTheMessageBefore() {
        assertThat(bases.resolve("/a", true, message(1, "text"))).isTrue();
        ByteBuf headers = Unpooled.buffer();
        MessageHeaders.write(headers, Map.of("k", "v"));
        MessageView second = message(4, DELTA).delta(true).prev(1).headers(headers, 0, headers.writerIndex());
        assertThat(bases.resolve("/a", true, second)).isTrue();
        assertThat(text(second)).isEqualTo("hitext");
        assertThat(second.isDelta()).isFalse();
        assertThat(MessageHeaders.of(second)).isEqualTo(Map.of("k", "v"));
    }

    @Test
    void aDeltaWithoutItsBaseIsRefused() {
        assertThat(bases.resolve("/a", true, message(2, DELTA).delta(true))).isFalse();
        bases.resolve("/a", true, message(2, "text"));
        assertThat(bases.resolve("/b", true, message(3, DELTA).delta(true))).isFalse();
        assertThat(bases.resolve("/a", true, message(4, DELTA).delta(true))).isFalse();
        assertThat(bases.resolve("/a", true, message(3, "no delta").delta(true)))
                .isFalse();
        assertThat(bases.resolve("/a", true, message(3, DELTA).delta(true))).isTrue();
        bases.clear();
        assertThat(bases.resolve("/a", true, message(4, DELTA).delta(true))).isFalse();
    }

    /** A message that was sent before the server has processed the unsubscribe may also belong to a pattern. */
    @Test
    void deltasAreCompletedUntilTheServerHasEndedTheSubscription() {
        bases.resolve("/a", true, message(1, "text"));
        MessageView late = message(2, DELTA).delta(true);
        assertThat(bases.resolve("/a", false, late)).isTrue();
        assertThat(text(late)).isEqualTo("hitext");
        bases.ended("/a");
        assertThat(bases.resolve("/a", false, message(3, DELTA).delta(true))).isFalse();
        assertThat(bases.resolve("/a", false, message(4, "whole"))).isTrue();
    }
}
