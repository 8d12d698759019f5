package io.belfry.server.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.protocol.Code;
import io.belfry.server.alert.Alert;
import io.belfry.server.counter.SlowSession;
import io.belfry.server.monitor.Percentiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

    /** Writes the growth of each code, without those that did not grow. */
    static void growth(JsonGenerator json, String name, Map<Code, Long> before, Map<Code, Long> now)
            throws IOException {
        json.writeObjectFieldStart(name);
        for (Code code : Code.values()) {
            long growth = now.getOrDefault(code, 0L) - before.getOrDefault(code, 0L);
            if (growth > 0) {
                json.writeNumberField(code.text(), growth);
            }
        }
        json.writeEndObject();
    }

    /** Writes a distribution in microseconds; without values only its count. */
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

    static void slowest(JsonGenerator json, List<SlowSession> sessions) throws IOException {
        json.writeArrayFieldStart("slowest");
        for (SlowSession session : sessions) {
            json.writeStartObject();
            json.writeStringField("session", session.session());
            json.writeStringField("address", session.address());
            json.writeStringField("state", text(session.state()));
            json.writeStringField("policy", session.policy());
            json.writeNumberField("behindBytes", session.behindBytes());
            json.writeNumberField("behindMessages", session.behindMessages());
            json.writeNumberField("subjects", session.subjects());
            json.writeNumberField("queuedBytes", session.queuedBytes());
            json.writeNumberField("sinceMillis", session.sinceMillis());
            json.writeEndObject();
        }
        json.writeEndArray();
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

    /** Writes a text, or null if there is none. */
    static void optional(JsonGenerator json, String name, Optional<String> text) throws IOException {
        if (text.isPresent()) {
            json.writeStringField(name, text.get());
        } else {
            json.writeNullField(name);
        }
    }

    /** Returns the name of a constant in JSON, such as {@code catching-up}. */
    static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
