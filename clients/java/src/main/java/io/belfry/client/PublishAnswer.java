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

/** Reads what {@code POST /publish} answers, and tells it as the events of a WebSocket would. Owner: the client's loop. */
final class PublishAnswer {
    private static final int OK = 200;

    private final JsonFactory json = new JsonFactory();
    private long epoch;
    private long seq;
    private String code = "";
    private String reason = "";

    void read(long id, int status, ByteBuf body, ServerEventHandler handler) {
        epoch = -1;
        seq = -1;
        code = "";
        reason = "";
        try (JsonParser parser = json.createParser((InputStream) new ByteBufInputStream(body.duplicate()))) {
            members(parser);
        } catch (IOException noJson) {
            reason = "the answer is no JSON";
        }
        if (status == OK && epoch >= 0 && epoch <= Position.MAX && seq >= 0 && seq <= Position.MAX) {
            handler.onPublished(id, epoch, seq);
        } else {
            handler.onError(id, code.isEmpty() ? "http-" + status : code, reason, null);
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
                case "code" -> code = parser.getValueAsString("");
                case "reason" -> reason = parser.getValueAsString("");
                default -> parser.skipChildren();
            }
        }
    }
}
