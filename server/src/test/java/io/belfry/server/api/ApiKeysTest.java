package io.belfry.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.protocol.Code;
import io.belfry.server.monitor.HttpRefusal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiKeysTest {
    private static final String KEY = "0123456789abcdef0123456789abcdef";
    private static final String OTHER = "fedcba9876543210fedcba9876543210";

    @TempDir
    private Path folder = Path.of("");

    private ApiKeys keys(String text) throws IOException {
        Path file = folder.resolve("keys");
        Files.writeString(file, text);
        return ApiKeys.read(file);
    }

    @Test
    void aKeyHasTheRightsOfItsLine() throws IOException {
        ApiKeys keys = keys("# keys\n\n  backend publish,read " + KEY + "\nsupport act " + OTHER + "\n");
        ApiKey backend = Objects.requireNonNull(keys.find("Bearer " + KEY));
        assertThat(backend.name()).isEqualTo("backend");
        assertThat(backend.rights()).containsExactlyInAnyOrder(ApiRight.PUBLISH, ApiRight.READ);
        assertThat(Objects.requireNonNull(keys.find("bearer " + OTHER)).rights())
                .containsExactly(ApiRight.ACT);
        for (String wrong : new String[] {"Bearer " + KEY + "0", "Bearer ", "Bearer", KEY, "Basic " + KEY}) {
            assertThat(keys.find(wrong)).as(wrong).isNull();
        }
        assertThat(keys.find(null)).isNull();
    }

    @Test
    void aWrongFileIsRefusedWithItsLineAndWithoutItsKeys() {
        for (String wrong : new String[] {
            "",
            "backend publish",
            "backend publish " + KEY + " more",
            "backend write " + KEY,
            "backend publish, " + KEY,
            "back/end publish " + KEY,
            "backend publish " + KEY.substring(1),
            "backend publish " + KEY + "\nbackend read " + OTHER
        }) {
            assertThatThrownBy(() -> keys(wrong))
                    .as(wrong)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("Api.KeyFile: ")
                    .hasMessageNotContaining(KEY.substring(1));
        }
    }

    @Test
    void linesThatAreNotBlankAreCounted() {
        byte[] body = "a\r\n\n  \nbc\n\nd".getBytes(StandardCharsets.UTF_8);
        assertThat(PublishCalls.lines(body, 3)).containsExactly(0, 2, 7, 9, 11, 12);
        assertThatThrownBy(() -> PublishCalls.lines(body, 2))
                .isInstanceOfSatisfying(
                        HttpRefusal.class, refused -> assertThat(refused.code()).isEqualTo(Code.TOO_MANY_LINES));
        assertThat(PublishCalls.lines("\n\n".getBytes(StandardCharsets.UTF_8), 2))
                .isEmpty();
    }

    @Test
    void aCursorIsReadAsItWasWritten() {
        assertThat(Cursor.of(Optional.of(new Cursor(1, 42).toString()), 2)).isEqualTo(new Cursor(1, 42));
        for (String wrong : new String[] {"2-0", "-1-0", "0", "0--1", "x-1", "0-99999999999", "0-1-2"}) {
            assertThatThrownBy(() -> Cursor.of(Optional.of(wrong), 2)).as(wrong).isInstanceOf(HttpRefusal.class);
        }
    }
}
