package io.belfry.server.entitlement;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The permissions of a client about whose user the authority says something for presence. Immutable except for the rights. */
record InformedPrincipal(Principal rights, String info) implements WrappedPrincipal {
    /** Maximum size of the info, in UTF-8. */
    static final int INFO_BYTES_MAX = 256;

    private static final JsonFactory FACTORY = new JsonFactory();

    /** Integers up to here are written without a fraction. */
    private static final double WHOLE_MAX = 1L << 53;

    /**
     * Returns the rights with the info of the permissions' member {@code info}, if they have one. Throws an IllegalArgumentException
     * that names the fault of another value than an object, or of one that is too large.
     */
    static Principal of(Principal rights, @Nullable Object info) {
        if (info == null) {
            return rights;
        }
        if (!(info instanceof Map)) {
            throw new IllegalArgumentException("info must be an object");
        }
        String text = text(info);
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > INFO_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "info has " + bytes + " bytes, and at most " + INFO_BYTES_MAX + " are allowed");
        }
        return new InformedPrincipal(rights, text);
    }

    private static String text(Object info) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            write(json, info);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        switch (value) {
            case Map<?, ?> map -> {
                json.writeStartObject();
                for (Map.Entry<?, ?> each : map.entrySet()) {
                    json.writeFieldName(String.valueOf(each.getKey()));
                    write(json, each.getValue());
                }
                json.writeEndObject();
            }
            case List<?> list -> {
                json.writeStartArray();
                for (Object each : list) {
                    write(json, each);
                }
                json.writeEndArray();
            }
            case Number number -> write(json, number.doubleValue());
            case Boolean flag -> json.writeBoolean(flag);
            case null -> json.writeNull();
            default -> json.writeString(value.toString());
        }
    }

    private static void write(JsonGenerator json, double number) throws IOException {
        if (number == Math.rint(number) && Math.abs(number) <= WHOLE_MAX) {
            json.writeNumber((long) number);
        } else {
            json.writeNumber(number);
        }
    }
}
