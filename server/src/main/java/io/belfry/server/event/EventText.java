package io.belfry.server.event;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.server.event.EventQueue.Item;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;

/** Writes events as JSON: many as the body of a request, or one as a message. Pure. */
final class EventText {
    private static final JsonFactory FACTORY = new JsonFactory();

    private EventText() {}

    /** Writes the members of an object. */
    @FunctionalInterface
    private interface Members {
        void write(JsonGenerator json) throws IOException;
    }

    /** Returns the body of a request. */
    static byte[] body(String node, long run, long nowMillis, List<Item> items) {
        return object(512, json -> {
            json.writeStringField("type", "belfry.events");
            json.writeStringField("timestamp", Instant.ofEpochMilli(nowMillis).toString());
            writeSource(json, node, run);
            json.writeArrayFieldStart("events");
            for (Item item : items) {
                json.writeStartObject();
                write(json, item);
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    /** Returns one event with the node and its run. */
    static byte[] message(String node, long run, Item item) {
        return object(256, json -> {
            writeSource(json, node, run);
            write(json, item);
        });
    }

    private static byte[] object(int initialBytes, Members members) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(initialBytes);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            members.write(json);
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    private static void writeSource(JsonGenerator json, String node, long run) throws IOException {
        json.writeStringField("node", node);
        json.writeNumberField("run", run);
    }

    private static void write(JsonGenerator json, Item item) throws IOException {
        switch (item) {
            case Item.Happened happened -> write(json, happened);
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

    private static void write(JsonGenerator json, Item.Missed missed) throws IOException {
        json.writeNumberField("seq", missed.seq());
        json.writeStringField("type", "missed");
        json.writeNumberField("count", missed.count());
        json.writeNumberField("toSeq", missed.toSeq());
        json.writeNumberField("time", missed.fromMillis());
        json.writeNumberField("toTime", missed.toMillis());
    }
}
