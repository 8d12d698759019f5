package io.belfry.protocol;

import static io.belfry.protocol.VectorsTest.id;
import static io.belfry.protocol.VectorsTest.subject;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes an event from the fields of its test vector. */
final class EventVectors {
    private EventVectors() {}

    static ByteBuf written(ServerEncoding encoding, JsonNode vector) {
        ByteBuf out = Unpooled.buffer();
        JsonNode f = vector.get("fields");
        switch (f.get("op").textValue()) {
            case "message" -> encoding.message(out, message(f, vector.path("epochs")));
            case "connected" ->
                encoding.connected(
                        out,
                        id(f),
                        new ConnectedEvent(
                                text(f, "session"),
                                text(f, "node"),
                                number(f, "ping"),
                                (int) number(f, "maxMessage"),
                                f.path("keep").asLong(),
                                f.path("resumed").asBoolean()));
            case "subscribed" -> subscribed(encoding, out, f);
            case "position" -> {
                if (f.has("subject")) {
                    encoding.progress(out, subject(f), patternsAt(f));
                } else {
                    encoding.position(out, patternsAt(f));
                }
            }
            case "unsubscribed" -> encoding.unsubscribed(out, id(f), subject(f), reason(f));
            case "published" -> encoding.published(out, id(f), Objects.requireNonNull(at(f)), 0);
            case "gap" -> encoding.gap(out, subject(f), position(f, "from"), to(f), code(f, "reason"));
            case "pong" -> encoding.pong(out, id(f), f.has("clock") ? number(f, "clock") : ServerEncoding.NO_CLOCK);
            case "error" ->
                encoding.error(
                        out,
                        id(f),
                        code(f, "code"),
                        text(f, "reason"),
                        f.has("subject") ? subject(f) : null,
                        f.path("after").asLong());
            case "reconnect" -> encoding.reconnect(out, number(f, "after"), code(f, "reason"));
            case "watched" -> encoding.watched(out, id(f), subject(f), subscribers(f));
            case "unwatched" -> encoding.unwatched(out, id(f), subject(f), reason(f));
            case "token-to-expire" -> encoding.tokenToExpire(out, number(f, "after"));
            case "stale" -> encoding.stale(out, f.get("stale").booleanValue());
            case "interest" -> encoding.interest(out, subject(f), subscribers(f));
            case "epoch" -> encoding.epoch(out, (int) number(f, "index"), number(f, "epoch"));
            default -> throw new AssertionError(f);
        }
        return out;
    }

    private static void subscribed(ServerEncoding encoding, ByteBuf out, JsonNode f) {
        int conflateMillis = f.path("conflate").asInt();
        if (f.has("delta")) {
            Position at = Objects.requireNonNull(at(f));
            encoding.deltaSubscribed(out, id(f), subject(f), at, 0, recovery(f), text(f, "delta"));
        } else if (f.has("at")) {
            encoding.patternSubscribed(out, id(f), subject(f), patternsAt(f), recovery(f), conflateMillis);
        } else {
            encoding.subscribed(out, id(f), subject(f), at(f), 0, recovery(f), conflateMillis);
        }
    }

    private static PatternPosition patternsAt(JsonNode f) {
        return Objects.requireNonNull(VectorsTest.patternPosition(f, "at"));
    }

    static MessageView message(JsonNode f, JsonNode epochs) {
        ByteBuf subject = Unpooled.wrappedBuffer(subject(f));
        boolean delta = f.has("delta");
        ByteBuf data = Vectors.hex(text(f, delta ? "delta" : "hex"));
        MessageView message = new MessageView()
                .subject(subject, 0, subject.readableBytes())
                .data(data, 0, data.readableBytes())
                .position(number(f, "epoch"), indexOf(f.get("epoch"), epochs), number(f, "seq"))
                .time(number(f, "time"))
                .delta(delta)
                .retained(f.has("retained"));
        if (f.has("headers")) {
            ByteBuf headers = Unpooled.buffer();
            MessageHeaders.write(headers, VectorsTest.headers(f));
            message.headers(headers, 0, headers.writerIndex());
        }
        if (f.has("prev")) {
            message.prev(number(f, "prev"));
        }
        return f.has("type") ? message.type(Objects.requireNonNull(MessageType.of(text(f, "type")))) : message;
    }

    private static int indexOf(JsonNode epoch, JsonNode epochs) {
        int index = 0;
        while (index < epochs.size() && epochs.get(index).longValue() != epoch.longValue()) {
            index++;
        }
        return index;
    }

    static BinaryServerEvents decoderKnowing(JsonNode epochs) {
        BinaryServerEvents decoder = new BinaryServerEvents();
        for (int i = 0; i < epochs.size(); i++) {
            ByteBuf declaration = Unpooled.buffer();
            new BinaryEncoding().epoch(declaration, i, epochs.get(i).longValue());
            RecordedEvents.of(decoder, declaration);
        }
        return decoder;
    }

    private static String text(JsonNode f, String name) {
        return f.get(name).textValue();
    }

    private static long number(JsonNode f, String name) {
        return f.get(name).longValue();
    }

    private static boolean subscribers(JsonNode f) {
        return f.get("subscribers").booleanValue();
    }

    private static @Nullable Position at(JsonNode f) {
        return f.has("epoch") ? new Position(number(f, "epoch"), number(f, "seq")) : null;
    }

    private static @Nullable Position position(JsonNode f, String name) {
        return f.has(name) ? Position.parse(text(f, name)) : null;
    }

    private static Position to(JsonNode f) {
        return Objects.requireNonNull(position(f, "to"));
    }

    private static Recovery recovery(JsonNode f) {
        return Objects.requireNonNull(Recovery.of(text(f, "recovery")));
    }

    private static @Nullable Code reason(JsonNode f) {
        return f.has("reason") ? code(f, "reason") : null;
    }

    private static Code code(JsonNode f, String name) {
        return Arrays.stream(Code.values())
                .filter(code -> code.text().equals(text(f, name)))
                .findFirst()
                .orElseThrow();
    }
}
