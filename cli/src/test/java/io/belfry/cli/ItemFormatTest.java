package io.belfry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.StreamItem;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The printed lines of messages and gaps. */
class ItemFormatTest {
    private static final Position AT = new Position(7, 42);

    private static Message message(byte[] data) {
        return new Message("/a", data, AT, 1000, MessageType.LIVE, false);
    }

    private static Message message(String data) {
        return message(data.getBytes(StandardCharsets.UTF_8));
    }

    private static String line(ItemFormat format, StreamItem item) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        format.write(item, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aTextLineHasSubjectPositionTypeAndData() throws IOException {
        assertThat(line(ItemFormat.TEXT, message("gruß 1"))).isEqualTo("/a 7:42 live gruß 1\n");
        assertThat(line(ItemFormat.TEXT, new Gap("/a", null, AT, "history-gone")))
                .isEqualTo("/a ?..7:42 gap history-gone\n");
    }

    @Test
    void headersArePrintedBeforeTheDataAndEscaped() throws IOException {
        Message message =
                new Message("/a", new byte[] {'x'}, AT, 1000, MessageType.LIVE, false, Map.of("k", "v\"\u001b\u009b"));
        assertThat(line(ItemFormat.TEXT, message)).isEqualTo("/a 7:42 live {\"k\":\"v\\\"\\u001B\\u009b\"} x\n");
        assertThat(line(ItemFormat.JSON, message)).contains("\"headers\":{\"k\":\"v\\\"\\u001B\\u009b\"}");
        assertThat(line(ItemFormat.DATA, message)).isEqualTo("x\n");
        assertThat(line(ItemFormat.JSON, message("x"))).doesNotContain("headers");
    }

    @Test
    void controlCharactersReachNoTerminal() throws IOException {
        assertThat(line(ItemFormat.TEXT, message("a\u001b[31m\n\u009b2J")))
                .isEqualTo("/a 7:42 live a\\u001b[31m\\u000a\\u009b2J\n");
        assertThat(line(ItemFormat.JSON, message("a\u001b\u009b")))
                .contains("\"data\":\"a\\u001B\\u009b\"")
                .endsWith("}\n");
    }

    @Test
    void dataThatIsNoTextIsPrintedAsBase64() throws IOException {
        byte[] data = {(byte) 0xff, 0};
        assertThat(line(ItemFormat.TEXT, message(data))).isEqualTo("/a 7:42 live base64:/wA=\n");
        assertThat(line(ItemFormat.JSON, message(data))).contains("\"base64\":\"/wA=\"");
    }

    @Test
    void dataAloneIsWrittenUnchangedAndGapsAreOmitted() throws IOException {
        assertThat(line(ItemFormat.DATA, message("a\u001b\n"))).isEqualTo("a\u001b\n\n");
        assertThat(line(ItemFormat.DATA, new Gap("/a", AT, AT, "test"))).isEmpty();
    }

    @Test
    void jsonLinesNameTheFieldsOfGaps() throws IOException {
        assertThat(line(ItemFormat.JSON, new Gap("/a/*", null, null, "not-recovered")))
                .isEqualTo(
                        "{\"kind\":\"gap\",\"subject\":\"/a/*\",\"from\":null,\"to\":null,\"reason\":\"not-recovered\"}\n");
    }
}
