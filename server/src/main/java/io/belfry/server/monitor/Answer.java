package io.belfry.server.monitor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.protocol.Code;
import io.belfry.server.json.JsonBytes;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;

/** An HTTP response of the monitor. Immutable. */
record Answer(int status, String contentType, String body, Map<String, String> headers) {
    private static final String JSON_TYPE = "application/json; charset=utf-8";
    private static final JsonFactory JSON = new JsonFactory();

    static Answer json(int status, JsonBytes.Part body) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            body.write(json);
        }
        return new Answer(status, JSON_TYPE, text.toString(), Map.of());
    }

    static Answer refusal(Code code) throws IOException {
        return refusal(code, code.sentence());
    }

    static Answer refusal(Code code, String reason) throws IOException {
        return json(code.httpStatus(), json -> {
            json.writeStartObject();
            json.writeStringField("code", code.text());
            json.writeStringField("reason", reason);
            json.writeEndObject();
        });
    }

    Answer with(String header, String value) {
        return new Answer(status, contentType, body, Map.of(header, value));
    }
}
