package io.belfry.server.event;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.server.event.EventQueue.Item;
import io.belfry.server.json.JsonBytes;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** Writes events as JSON: many as the body of a request, or one as a message. Pure. */
final class EventText {
    private EventText() {}

    /** Returns the body of a request. */
    static byte[] body(String node, long run, long nowMillis, List<Item> items) {
        return JsonBytes.object(json -> {
            json.writeStringField("type", "belfry.events");
            json.writeStringField("timestamp", Instant.ofEpochMilli(nowMillis).toString());
            writeSource(json, node, run);
            json.writeArrayFieldStart("events");
            for (Item item : items) {
                json.writeStartObject();
                write(json, item, true);
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    /** Returns one event with the node and its run. The content of a message is left out if the text would exceed {@code bytesMax}. */
    static byte[] message(String node, long run, Item item, int bytesMax) {
        byte[] whole = message(node, run, item, true);
        return whole.length <= bytesMax ? whole : message(node, run, item, false);
    }

    private static byte[] message(String node, long run, Item item, boolean withContent) {
        return JsonBytes.object(json -> {
            writeSource(json, node, run);
            write(json, item, withContent);
        });
    }

    private static void writeSource(JsonGenerator json, String node, long run) throws IOException {
        json.writeStringField("node", node);
        json.writeNumberField("run", run);
    }

    private static void write(JsonGenerator json, Item item, boolean withContent) throws IOException {
        switch (item) {
            case Item.Happened happened -> {
                write(json, happened);
                PublishedMessage message = happened.event().message();
                if (message != null) {
                    write(json, message, withContent);
                }
            }
            case Item.Missed missed -> write(json, missed);
        }
    }

    private static void write(JsonGenerator json, Item.Happened happened) throws IOException {
        ApplicationEvent event = happened.event();
        json.writeNumberField("seq", happened.seq());
        json.writeStringField("type", event.type().text());
        json.writeNumberField("time", event.millis());
        if (!event.session().isEmpty()) {
            json.writeStringField("session", event.session());
        }
        if (event.subject() != null) {
            json.writeStringField("subject", event.subject());
        }
        if (event.user() != null) {
            json.writeStringField("user", event.user());
        }
        if (!event.address().isEmpty()) {
            json.writeStringField("address", event.address());
        }
        if (event.code() != null) {
            json.writeStringField("code", event.code());
        }
    }

    private static void write(JsonGenerator json, PublishedMessage message, boolean withContent) throws IOException {
        json.writeStringField("position", message.epoch() + ":" + message.seq());
        if (message.retained()) {
            json.writeBooleanField("retained", true);
        }
        if (!withContent) {
            json.writeNumberField("dataBytes", message.data().length);
            return;
        }
        if (!message.headers().isEmpty()) {
            JsonBytes.texts(json, "headers", message.headers());
        }
        JsonBytes.data(json, message.data());
    }

    private static void write(JsonGenerator json, Item.Missed missed) throws IOException {
        json.writeNumberField("seq", missed.seq());
        json.writeStringField("type", "missed");
        json.writeNumberField("count", missed.count());
        json.writeNumberField("toSeq", missed.toSeq());
        json.writeNumberField("time", missed.fromMillis());
        json.writeNumberField("toTime", missed.toMillis());
    }
}
