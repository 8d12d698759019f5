package io.belfry.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.StreamItem;
import io.belfry.protocol.Position;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The forms in which messages and gaps are printed, one per line. A line contains no control character. */
enum ItemFormat {
    /** Subject, position, type, headers as a JSON object if there are some, and data, separated by spaces. */
    TEXT,
    /** One JSON object. */
    JSON,
    /** The bytes of each message and a newline; a gap is a line of {@link #TEXT}, on standard error. */
    DATA;

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Pattern CONTROL = Pattern.compile("\\p{Cc}");

    /** Writes one line. */
    void write(StreamItem item, OutputStream out) throws IOException {
        switch (item) {
            case Message message when this == DATA -> out.write(message.data());
            case Message message -> out.write(escaped(this == JSON ? json(message) : text(message)));
            case Gap gap
            when this == DATA -> System.err.println(new String(escaped(text(gap)), StandardCharsets.UTF_8));
            case Gap gap -> out.write(escaped(this == JSON ? json(gap) : text(gap)));
        }
        if (this != DATA || item instanceof Message) {
            out.write('\n');
        }
    }

    private static String text(Message message) throws IOException {
        String data = utf8(message.data());
        String headers = message.headers().isEmpty() ? "" : MAPPER.writeValueAsString(message.headers()) + " ";
        return message.subject() + " " + message.position() + " " + type(message) + " " + headers
                + (data == null ? "base64:" + base64(message.data()) : data);
    }

    private static String text(Gap gap) {
        return gap.subject() + " " + orUnknown(gap.from()) + ".." + orUnknown(gap.to()) + " gap " + gap.reason();
    }

    private static String json(Message message) throws IOException {
        String data = utf8(message.data());
        ObjectNode fields = JsonNodeFactory.instance
                .objectNode()
                .put("kind", "message")
                .put("subject", message.subject())
                .put("position", message.position().toString())
                .put("time", message.timeMillis())
                .put("type", type(message))
                .put("retained", message.retained())
                .put(data == null ? "base64" : "data", data == null ? base64(message.data()) : data);
        if (!message.headers().isEmpty()) {
            message.headers().forEach(fields.putObject("headers")::put);
        }
        return MAPPER.writeValueAsString(fields);
    }

    private static String json(Gap gap) throws IOException {
        ObjectNode fields = JsonNodeFactory.instance
                .objectNode()
                .put("kind", "gap")
                .put("subject", gap.subject())
                .put("from", orNull(gap.from()))
                .put("to", orNull(gap.to()))
                .put("reason", gap.reason());
        return MAPPER.writeValueAsString(fields);
    }

    private static String type(Message message) {
        return message.type().name().toLowerCase(Locale.ROOT);
    }

    private static String orUnknown(@Nullable Position position) {
        return position == null ? "?" : position.toString();
    }

    private static @Nullable String orNull(@Nullable Position position) {
        return position == null ? null : position.toString();
    }

    private static String base64(byte[] data) {
        return Base64.getEncoder().encodeToString(data);
    }

    private static @Nullable String utf8(byte[] data) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(data))
                    .toString();
        } catch (CharacterCodingException binary) {
            return null;
        }
    }

    /** Escapes control characters as JSON does, because a terminal would execute them. */
    private static byte[] escaped(String line) {
        return CONTROL.matcher(line)
                .replaceAll(found -> String.format(
                        Locale.ROOT, "\\\\u%04x", (int) found.group().charAt(0)))
                .getBytes(StandardCharsets.UTF_8);
    }
}
