package io.belfry.server.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes JSON as UTF-8. Pure. */
public final class JsonBytes {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int INITIAL_BYTES = 512;

    private JsonBytes() {}

    /** Writes a part of the text, such as the members of an object. */
    public interface Part {
        void write(JsonGenerator json) throws IOException;
    }

    /** Returns one object with these members. */
    public static byte[] object(Part members) {
        return of(json -> {
            json.writeStartObject();
            members.write(json);
            json.writeEndObject();
        });
    }

    /** Returns one value, or several values with the separator that the part sets. */
    public static byte[] of(Part content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(INITIAL_BYTES);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            content.write(json);
        } catch (IOException impossible) {
            throw new UncheckedIOException("writing to memory failed", impossible);
        }
        return bytes.toByteArray();
    }

    /** Writes a member whose value is an object of texts. */
    public static void texts(JsonGenerator json, String name, Map<String, String> texts) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, String> each : texts.entrySet()) {
            json.writeStringField(each.getKey(), each.getValue());
        }
        json.writeEndObject();
    }

    /** Writes the data of a message: the member {@code data} with text, or {@code base64} with other bytes. */
    public static void data(JsonGenerator json, byte[] data) throws IOException {
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data));
            json.writeStringField("data", text.toString());
        } catch (CharacterCodingException binary) {
            json.writeBinaryField("base64", data);
        }
    }
}
