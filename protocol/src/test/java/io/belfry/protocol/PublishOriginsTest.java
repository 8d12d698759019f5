package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublishOriginsTest {
    @Test
    void tagsAreAsTheVectorsSay() {
        for (JsonNode vector : Vectors.of("origins.json")) {
            String key = vector.path("key").asText();
            assertThat(PublishOrigins.of(key))
                    .isEqualTo(vector.path("tag").asText())
                    .hasSize(PublishOrigins.TAG_CHARS);
            ByteBuf buffer = Unpooled.wrappedBuffer(new byte[] {'x'}, Vectors.utf8(key));
            PublishRequest request =
                    new PublishRequest().start(1, buffer, false).origin(1, key.length());
            assertThat(request.originTag()).isEqualTo(Vectors.utf8(PublishOrigins.of(key)));
            assertThat(request.copy().originTag()).isEqualTo(request.originTag());
        }
        assertThat(new PublishRequest().originTag()).isNull();
    }

    @Test
    void aTagOrAShortTextIsNoKey() {
        String tag = PublishOrigins.of("0123456789012345678901");
        for (String other : List.of(tag, "", "k".repeat(21), "k".repeat(65), "é".repeat(22))) {
            assertThat(PublishOrigins.isKey(Vectors.utf8(other))).as(other).isFalse();
            assertThatThrownBy(() -> PublishOrigins.of(other)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
