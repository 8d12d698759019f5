package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DocumentationTest {
    private static final Path PROTOCOL = Path.of("../docs/protocol.md");

    @Test
    void theDocumentedCodesMatchTheEnum() throws IOException {
        String page = Files.readString(PROTOCOL);
        String table = page.substring(page.indexOf("| code | HTTP | close | meaning |"));
        assertThat(table.lines().skip(2).filter(line -> !line.isBlank()))
                .containsExactlyElementsOf(
                        Arrays.stream(Code.values()).map(DocumentationTest::row).toList());
    }

    private static String row(Code code) {
        return "| `%s` | %d | %d | %s |".formatted(code.text(), code.httpStatus(), code.closeCode(), code.sentence());
    }

    @Test
    void theFramesDrawnInTheDocumentationMatchTheVectors() throws IOException {
        String page = Files.readString(PROTOCOL).replaceAll("[^0-9a-f]", "");
        assertThat(page).contains(drawn("commands.json", "publish-as-drawn-in-the-docs"));
        assertThat(page).contains(drawn("events.json", "message-as-drawn-in-the-docs"));
        assertThat(page).contains(drawn("headers.json", "publish-as-drawn-in-the-docs"));
        assertThat(page).contains(drawn("headers.json", "message-as-drawn-in-the-docs"));
    }

    private static String drawn(String file, String name) {
        return Vectors.of(file).stream()
                .filter(vector -> vector.get("name").textValue().equals(name))
                .map(vector -> vector.get("binary").textValue())
                .findFirst()
                .orElseThrow();
    }
}
