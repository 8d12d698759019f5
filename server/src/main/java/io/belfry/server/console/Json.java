package io.belfry.server.console;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.server.alert.Alert;
import io.belfry.server.monitor.Percentiles;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Writes the JSON of the console. Pure functions. */
final class Json {
    private Json() {}

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
