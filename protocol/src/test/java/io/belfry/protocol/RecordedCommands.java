package io.belfry.protocol;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Records each command as the fields of a test vector; a rejected command as its code and reason. */
final class RecordedCommands implements CommandHandler {
    private final List<ObjectNode> all = new ArrayList<>();

    /** Decodes one frame, which must result in exactly one call. */
    static ObjectNode of(CommandDecoder decoder, ByteBuf frame) {
        RecordedCommands recorded = new RecordedCommands();
        decoder.decode(frame, frame.readerIndex(), frame.readableBytes(), recorded);
        if (recorded.all.size() != 1) {
            throw new AssertionError("calls: " + recorded.all);
        }
        return recorded.all.getFirst();
    }

    @Override
    public void onConnect(long id, ConnectRequest request) {
        ObjectNode command = command("connect", id);
        if (request.token() != null) {
            command.put("token", request.token());
        }
        if (request.pingMillis() != 0) {
            command.put("ping", request.pingMillis());
        }
        if (request.session() != null) {
            command.put("session", request.session().id());
            if (!request.session().received().isEmpty()) {
                ArrayNode positions = command.putArray("positions");
                for (SubjectPosition each : request.session().received()) {
                    positions.add(new String(each.subject(), StandardCharsets.UTF_8));
                    positions.add(each.at().toString());
                }
            }
        }
        if (request.client() != null) {
            command.put("client", request.client());
        }
    }

    @Override
    public void onSubscribe(long id, SubscribeRequest request) {
        ObjectNode command = command("subscribe", id);
        subjects(command, request.subjects());
        if (request.from() != null) {
            command.put("from", request.from().toString());
        }
        if (request.patternFrom() != null) {
            command.put("from", request.patternFrom().toString());
        }
        if (request.history() != 0) {
            command.put("history", request.history());
        }
        if (request.conflateMillis() != 0) {
            command.put("conflate", request.conflateMillis());
        }
        if (request.delta()) {
            command.put("delta", FossilDelta.NAME);
        }
    }

    @Override
    public void onUnsubscribe(long id, List<byte[]> subjects) {
        subjects(command("unsubscribe", id), subjects);
    }

    @Override
    public void onPublish(PublishRequest request) {
        ByteBuf buffer = request.buffer();
        ObjectNode command = command("publish", request.id());
        command.put("subject", text(buffer, request.subjectOffset(), request.subjectLength()));
        command.put("hex", ByteBufUtil.hexDump(buffer, request.dataOffset(), request.dataLength()));
        if (request.retain()) {
            command.put("retain", true);
        }
        if (request.msgIdLength() > 0) {
            command.put("msgId", text(buffer, request.msgIdOffset(), request.msgIdLength()));
        }
        if (request.ttlMillis() > 0) {
            command.put("ttl", request.ttlMillis());
        }
        if (request.originLength() > 0) {
            command.put("origin", text(buffer, request.originOffset(), request.originLength()));
        }
        if (request.headersLength() > 0) {
            MessageView view = new MessageView()
                    .data(buffer, 0, 0)
                    .headers(buffer, request.headersOffset(), request.headersLength());
            MessageHeaders.of(view).forEach(command.putObject("headers")::put);
        }
    }

    @Override
    public void onPing(long id) {
        command("ping", id);
    }

    @Override
    public void onWatch(long id, byte[] subject) {
        command("watch", id).put("subject", new String(subject, StandardCharsets.UTF_8));
    }

    @Override
    public void onUnwatch(long id, byte[] subject) {
        command("unwatch", id).put("subject", new String(subject, StandardCharsets.UTF_8));
    }

    @Override
    public void onBadCommand(long id, Code code, String reason) {
        command("refused", id).put("code", code.text()).put("reason", reason);
    }

    private ObjectNode command(String op, long id) {
        ObjectNode command = Vectors.JSON.createObjectNode().put("op", op);
        if (id != NO_ID) {
            command.put("id", id);
        }
        all.add(command);
        return command;
    }

    private static void subjects(ObjectNode command, List<byte[]> subjects) {
        var list = command.putArray("subjects");
        subjects.forEach(subject -> list.add(new String(subject, StandardCharsets.UTF_8)));
    }

    private static String text(ByteBuf buffer, int offset, int length) {
        return buffer.toString(offset, length, StandardCharsets.UTF_8);
    }
}
