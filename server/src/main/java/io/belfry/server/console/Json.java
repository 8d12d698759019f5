package io.belfry.server.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.server.alert.Alert;
import io.belfry.server.monitor.Percentiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/** Writes the JSON of the console. Pure functions. */
final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** Writes the members of one object. */
    interface Members {
        void write(JsonGenerator json) throws IOException;
    }

    /** Returns one object as UTF-8. */
    static byte[] object(Members members) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            members.write(json);
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    /** Writes a distribution in microseconds; only the count if the distribution has no values. */
    static void percentiles(JsonGenerator json, String name, Percentiles percentiles) throws IOException {
        json.writeObjectFieldStart(name);
        json.writeNumberField("count", percentiles.count());
        if (percentiles.count() > 0) {
            json.writeNumberField("p50", percentiles.p50Micros());
            json.writeNumberField("p90", percentiles.p90Micros());
            json.writeNumberField("p99", percentiles.p99Micros());
            json.writeNumberField("p999", percentiles.p999Micros());
            json.writeNumberField("max", percentiles.maxMicros());
        }
        json.writeEndObject();
    }

    static void alerts(JsonGenerator json, List<Alert> alerts) throws IOException {
        json.writeArrayFieldStart("alerts");
        for (Alert alert : alerts) {
            json.writeStartObject();
            json.writeStringField("name", alert.rule().alertName());
            json.writeStringField("severity", alert.rule().severity().text());
            json.writeStringField("title", alert.rule().title());
            json.writeStringField("reason", alert.reason());
            json.writeStringField("nextStep", alert.rule().nextStep());
            json.writeNumberField("sinceMillis", alert.sinceMillis());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Writes a text, or null if the text is absent. */
    static void optional(JsonGenerator json, String name, Optional<String> text) throws IOException {
        if (text.isPresent()) {
            json.writeStringField(name, text.get());
        } else {
            json.writeNullField(name);
        }
    }
}
