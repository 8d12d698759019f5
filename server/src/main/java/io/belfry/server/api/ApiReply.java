package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import io.belfry.protocol.Code;
import io.belfry.server.json.JsonBytes;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a call. Immutable.
 *
 * @param code why the call was refused; null for a call that was executed
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ApiReply(int status, @Nullable Code code, String contentType, Map<String, String> headers, byte[] body) {
    static final String JSON = "application/json";
    static final String LINES = "application/x-ndjson";

    ApiReply {
        headers = Map.copyOf(headers);
    }

    /** Writes the members of one line. */
    interface LineMembers<T> {
        void write(JsonGenerator json, T line) throws IOException;
    }

    static ApiReply object(JsonBytes.Part members) {
        return new ApiReply(200, null, JSON, Map.of(), JsonBytes.object(members));
    }

    /** Returns an answer with one object per line. */
    static <T> ApiReply lines(List<T> lines, LineMembers<T> members) {
        return new ApiReply(200, null, LINES, Map.of(), JsonBytes.of(json -> {
            json.setRootValueSeparator(new SerializedString("\n"));
            for (T line : lines) {
                json.writeStartObject();
                members.write(json, line);
                json.writeEndObject();
            }
            json.writeRaw('\n');
        }));
    }

    static ApiReply refusal(Code code, String reason) {
        return new ApiReply(
                code.httpStatus(), code, JSON, Map.of(), JsonBytes.object(json -> fault(json, code, reason)));
    }

    static void fault(JsonGenerator json, Code code, @Nullable String reason) throws IOException {
        json.writeStringField("code", code.text());
        json.writeStringField("reason", reason == null ? code.sentence() : reason);
    }

    ApiReply with(String name, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(name, value);
        return new ApiReply(status, code, contentType, more, body);
    }
}
