package io.belfry.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.belfry.protocol.Position;
import io.belfry.protocol.ServerEventHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Parses the response to {@code POST /publish} and reports it like the events of a WebSocket. Owner: the client's loop.
 */
final class PublishAnswer {
    private static final int OK = 200;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int UNAVAILABLE = 503;

    private final JsonFactory json = new JsonFactory();
    private int status;
    private long epoch;
    private long seq;
    private long afterMillis;
    private String code = "";
    private String reason = "";

    void read(int answered, ByteBuf body) {
        status = answered;
        epoch = -1;
        seq = -1;
        afterMillis = 0;
        code = "";
        reason = "";
        try (JsonParser parser = json.createParser((InputStream) new ByteBufInputStream(body.duplicate()))) {
            members(parser);
        } catch (IOException noJson) {
            reason = "the response is not JSON";
        }
    }

    /** Whether the connection ended while the publish waited; the outcome is then as unknown as without a response. */
    boolean isOfConnection() {
        return (status == UNAVAILABLE || status == REQUEST_TIMEOUT) && Refusals.isOfConnection(code);
    }

    String code() {
        return code;
    }

    void report(long id, ServerEventHandler handler) {
        if (status == OK && epoch >= 0 && epoch <= Position.MAX && seq >= 0 && seq <= Position.MAX) {
            handler.onPublished(id, epoch, seq);
        } else {
            handler.onError(id, code.isEmpty() ? "http-" + status : code, reason, null, afterMillis);
        }
    }

    private void members(JsonParser parser) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            return;
        }
        for (@Nullable String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            switch (name) {
                case "epoch" -> epoch = parser.getValueAsLong(-1);
                case "seq" -> seq = parser.getValueAsLong(-1);
                case "after" -> afterMillis = parser.getValueAsLong(0);
                case "code" -> code = parser.getValueAsString("");
                case "reason" -> reason = parser.getValueAsString("");
                default -> parser.skipChildren();
            }
        }
    }
}
