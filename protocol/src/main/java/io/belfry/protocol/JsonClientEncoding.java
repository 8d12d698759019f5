package io.belfry.protocol;

import static io.belfry.protocol.CommandHandler.NO_ID;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.Map;

/** Writes commands in {@code belfry.json.v1}, on the client's side. Immutable. */
public final class JsonClientEncoding implements ClientEncoding {
    @Override
    public String subprotocol() {
        return Subprotocols.JSON;
    }

    @Override
    public void connect(ByteBuf out, long id, ConnectRequest request) {
        start(out, "connect", id);
        if (request.token() != null) {
            name(out, "token");
            JsonText.string(out, request.token());
        }
        number(out, "ping", request.pingMillis());
        if (request.session() != null) {
            name(out, "session");
            JsonText.string(out, request.session().id());
            positions(out, request.session().received());
        }
        if (request.client() != null) {
            name(out, "client");
            JsonText.string(out, request.client());
        }
        out.writeByte('}');
    }

    /** Appends the positions as subjects, each followed by its position. */
    private static void positions(ByteBuf out, List<SubjectPosition> positions) {
        if (positions.isEmpty()) {
            return;
        }
        name(out, "positions");
        byte before = '[';
        for (SubjectPosition each : positions) {
            out.writeByte(before);
            JsonText.string(out, each.subject());
            out.writeByte(',');
            JsonText.string(out, each.at().toString());
            before = ',';
        }
        out.writeByte(']');
    }

    @Override
    public void subscribe(ByteBuf out, long id, SubscribeRequest request) {
        start(out, "subscribe", id);
        subjects(out, request.subjects());
        if (request.from() != null) {
            name(out, "from");
            JsonText.string(out, request.from().toString());
        } else if (request.patternFrom() != null) {
            name(out, "from");
            JsonText.string(out, request.patternFrom().toString());
        }
        number(out, "history", request.history());
        number(out, "conflate", request.conflateMillis());
        if (request.delta()) {
            name(out, "delta");
            JsonText.string(out, FossilDelta.NAME);
        }
        out.writeByte('}');
    }

    @Override
    public void unsubscribe(ByteBuf out, long id, List<byte[]> subjects) {
        start(out, "unsubscribe", id);
        subjects(out, subjects);
        out.writeByte('}');
    }

    @Override
    public void publish(ByteBuf out, long id, byte[] subject, ByteBuf data, PublishTerms terms) {
        start(out, "publish", id);
        subject(out, subject);
        data(out, data);
        if (terms.retain()) {
            ByteBufUtil.writeAscii(out, ",\"retain\":true");
        }
        if (terms.msgId() != null) {
            name(out, "msgId");
            JsonText.string(out, terms.msgId());
        }
        if (!terms.headers().isEmpty()) {
            headers(out, terms.headers());
        }
        number(out, "ttl", terms.ttlMillis());
        if (terms.origin() != null) {
            name(out, "origin");
            JsonText.string(out, terms.origin());
        }
        out.writeByte('}');
    }

    private static void headers(ByteBuf out, Map<String, String> headers) {
        name(out, "headers");
        byte[] before = {'{'};
        headers.forEach((name, value) -> {
            out.writeByte(before[0]);
            JsonText.string(out, name);
            out.writeByte(':');
            JsonText.string(out, value);
            before[0] = ',';
        });
        out.writeByte('}');
    }

    @Override
    public void ping(ByteBuf out, long id) {
        start(out, "ping", id);
        out.writeByte('}');
    }

    @Override
    public void watch(ByteBuf out, long id, byte[] subject) {
        start(out, "watch", id);
        subject(out, subject);
        out.writeByte('}');
    }

    @Override
    public void unwatch(ByteBuf out, long id, byte[] subject) {
        start(out, "unwatch", id);
        subject(out, subject);
        out.writeByte('}');
    }

    private static void start(ByteBuf out, String op, long id) {
        ByteBufUtil.writeAscii(out, "{\"op\":\"");
        ByteBufUtil.writeAscii(out, op);
        out.writeByte('"');
        if (id != NO_ID) {
            name(out, "id");
            JsonText.number(out, id);
        }
    }

    private static void name(ByteBuf out, String name) {
        ByteBufUtil.writeAscii(out, ",\"");
        ByteBufUtil.writeAscii(out, name);
        ByteBufUtil.writeAscii(out, "\":");
    }

    private static void number(ByteBuf out, String name, long value) {
        if (value != 0) {
            name(out, name);
            JsonText.number(out, value);
        }
    }

    private static void subject(ByteBuf out, byte[] subject) {
        name(out, "subject");
        JsonText.string(out, subject);
    }

    private static void subjects(ByteBuf out, List<byte[]> subjects) {
        if (subjects.size() == 1) {
            subject(out, subjects.get(0));
            return;
        }
        name(out, "subjects");
        byte before = '[';
        for (byte[] subject : subjects) {
            out.writeByte(before);
            JsonText.string(out, subject);
            before = ',';
        }
        out.writeByte(']');
    }

    private static void data(ByteBuf out, ByteBuf data) {
        int offset = data.readerIndex();
        int length = data.readableBytes();
        boolean text = Utf8.valid(data, offset, length);
        name(out, text ? "data" : "base64");
        if (text) {
            JsonText.string(out, data, offset, length);
        } else {
            out.writeByte('"');
            JsonText.base64(out, data, offset, length);
            out.writeByte('"');
        }
    }
}
