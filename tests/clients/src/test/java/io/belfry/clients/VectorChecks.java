package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.Await;
import io.belfry.integration.TestMachine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Checks of frames of the protocol, which a scripted server sends. Pure. */
final class VectorChecks {
    private static final String GROUP = "Protocol";
    private static final HexFormat HEX = HexFormat.of();
    private static final String CONNECTED =
            "{\"op\":\"connected\",\"id\":1,\"session\":\"s\",\"node\":\"n\",\"ping\":25000,\"maxMessage\":65536}";
    private static final String CONNECTED_BINARY = "0100" + "000061a8" + "00010000" + "0173" + "016e";

    private VectorChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>(frames());
        all.addAll(Behaviour.overEachStream(
                GROUP, "Events that arrive byte by byte are read", Behaviour.Mode.SHARED, VectorChecks::trickling));
        return all;
    }

    private static List<Behaviour> frames() {
        return List.of(
                Behaviour.of(
                        GROUP,
                        "Every recorded message is read from JSON",
                        VectorChecks::messagesInJson,
                        "webSocket",
                        "json"),
                Behaviour.of(
                        GROUP,
                        "Every recorded message is read from binary frames",
                        VectorChecks::messagesInBinary,
                        "webSocket",
                        "binary"),
                Behaviour.of(
                        GROUP,
                        "Unknown events and members are ignored",
                        VectorChecks::unknownInJson,
                        "webSocket",
                        "json"),
                Behaviour.of(
                        GROUP,
                        "Unknown events, flags and trailing bytes of binary frames are ignored",
                        VectorChecks::unknownInBinary,
                        "webSocket",
                        "binary"),
                Behaviour.of(GROUP, "Fragments of a message are joined", VectorChecks::fragments, "webSocket", "json"),
                Behaviour.of(GROUP, "A ping frame is answered with its payload", VectorChecks::pings, "webSocket"),
                Behaviour.of(
                        GROUP,
                        "A repeated or older position is dropped, a hole is a gap",
                        VectorChecks::positions,
                        "webSocket",
                        "json"));
    }

    private record Vector(String name, JsonNode fields, List<String> json, String binary, JsonNode epochs) {
        String subject() {
            return fields.path("subject").asText();
        }
    }

    /** Returns the messages that a client can read alone, so without deltas, which need a base. */
    private static List<Vector> messages() throws IOException {
        Path file = TestMachine.root().resolve("protocol/src/test/resources/vectors/events.json");
        List<Vector> messages = new ArrayList<>();
        for (JsonNode each : DriverProcess.JSON.readTree(file.toFile())) {
            JsonNode fields = each.path("fields");
            if (fields.path("op").asText().equals("message") && !fields.has("delta")) {
                List<String> json = new ArrayList<>(List.of(each.path("json").asText()));
                each.path("jsonAlso").forEach(also -> json.add(also.asText()));
                messages.add(new Vector(
                        each.path("name").asText(),
                        each.path("fields"),
                        json,
                        each.path("binary").asText(),
                        each.path("epochs")));
            }
        }
        return messages;
    }

    /** The steps of a script after the handshake and the subscription. */
    @FunctionalInterface
    private interface Frames {
        void send(ScriptedPeer.Connection connection) throws IOException;
    }

    private static String subscribedInJson(String subject) throws IOException {
        return DriverProcess.JSON.writeValueAsString(DriverProcess.JSON
                .createObjectNode()
                .put("op", "subscribed")
                .put("id", 2)
                .put("subject", subject)
                .put("epoch", 1)
                .put("seq", 0)
                .put("recovery", "none"));
    }

    private static String subscribedInBinary(String subject, long epoch, long seq) {
        byte[] text = subject.getBytes(StandardCharsets.UTF_8);
        return "020a" + HEX.toHexDigits((byte) text.length) + HEX.formatHex(text) + HEX.toHexDigits(epoch)
                + HEX.toHexDigits(seq);
    }

    /**
     * Starts a client that subscribes to one subject of a scripted server, which confirms the subscription and then sends
     * the frames. The subject is known to the server from the command, so only its confirmation is sent.
     */
    private static DrivenClient start(Scene scene, Wire wire, String subject, Frames frames) {
        ScriptedPeer peer = scene.closing(new ScriptedPeer(connection -> {
            connection.upgrade();
            if (wire == Wire.JSON) {
                connection.text(CONNECTED);
            } else {
                connection.binary(HEX.parseHex(CONNECTED_BINARY));
            }
            connection.awaitSubscribe();
            frames.send(connection);
            connection.answerClose();
        }));
        DrivenClient client = scene.start(scene.plan(wire, peer.port()));
        client.subscribe(subject);
        return client;
    }

    private static void messagesInJson(Scene scene) throws IOException {
        for (Vector vector : messages()) {
            DrivenClient client = start(scene, Wire.JSON, vector.subject(), connection -> {
                connection.text(subscribedInJson(vector.subject()));
                connection.text(vector.json().getFirst());
            });
            requireMessage(vector, client);
            scene.close(client);
        }
        for (Vector vector : messages()) {
            for (String also : vector.json().subList(1, vector.json().size())) {
                DrivenClient client = start(scene, Wire.JSON, vector.subject(), connection -> {
                    connection.text(subscribedInJson(vector.subject()));
                    connection.text(also);
                });
                requireMessage(vector, client);
                scene.close(client);
            }
        }
    }

    private static void messagesInBinary(Scene scene) throws IOException {
        for (Vector vector : messages()) {
            DrivenClient client = start(scene, Wire.BINARY, vector.subject(), connection -> {
                for (int i = 0; i < vector.epochs().size(); i++) {
                    long epoch = vector.epochs().path(i).asLong();
                    connection.binary(HEX.parseHex("0c00" + HEX.toHexDigits((byte) i) + HEX.toHexDigits(epoch)));
                }
                connection.binary(HEX.parseHex(subscribedInBinary(vector.subject(), 1, 0)));
                connection.binary(HEX.parseHex(vector.binary()));
            });
            requireMessage(vector, client);
            scene.close(client);
        }
    }

    /** The message follows another epoch, so a gap may precede it. */
    private static void requireMessage(Vector vector, DrivenClient client) {
        Await.until(
                vector.name(),
                () -> client.messages().stream()
                        .anyMatch(event -> DrivenClient.op(event).equals("message")));
        JsonNode message = client.messages().getLast();
        JsonNode fields = vector.fields();
        byte[] data = message.has("base64")
                ? Base64.getDecoder().decode(message.path("base64").asText())
                : message.path("text").asText().getBytes(StandardCharsets.UTF_8);
        assertThat(HEX.formatHex(data))
                .as(vector.name())
                .isEqualTo(fields.path("hex").asText());
        assertThat(message.path("subject").asText()).as(vector.name()).isEqualTo(vector.subject());
        assertThat(message.path("position").asText())
                .as(vector.name())
                .isEqualTo(
                        fields.path("epoch").asText() + ":" + fields.path("seq").asText());
        assertThat(message.path("type").asText())
                .as(vector.name())
                .isEqualTo(fields.path("type").asText("live"));
        assertThat(message.path("retained").asBoolean())
                .as(vector.name())
                .isEqualTo(fields.path("retained").asBoolean());
    }

    private static String message(int seq) {
        return "{\"op\":\"message\",\"subject\":\"/a\",\"data\":\"" + seq + "\",\"epoch\":1,\"seq\":" + seq
                + ",\"time\":1700000000000}";
    }

    private static void requireTexts(DrivenClient client, String... texts) {
        Await.until(
                "messages or a disconnect",
                () -> client.texts().size() >= texts.length
                        || !client.statuses("disconnected").isEmpty());
        assertThat(client.statuses("disconnected")).isEmpty();
        assertThat(client.texts()).containsExactly(texts);
    }

    private static void unknownInJson(Scene scene) {
        DrivenClient client = start(scene, Wire.JSON, "/a", connection -> {
            connection.text(subscribedInJson("/a"));
            connection.text("{\"op\":\"invented\",\"subject\":\"/a\",\"x\":[1,{\"y\":null}]}");
            connection.text(message(1).replace("\"data\"", "\"new\":{\"deep\":[true,1.5e3]},\"data\""));
            connection.text("{\"op\":\"stale\",\"stale\":true,\"more\":1}");
            connection.text(message(2));
        });
        requireTexts(client, "1", "2");
    }

    private static void unknownInBinary(Scene scene) {
        DrivenClient client = start(scene, Wire.BINARY, "/a", connection -> {
            connection.binary(HEX.parseHex("0c00" + "00" + "0000000000000001"));
            connection.binary(HEX.parseHex("7f00" + "0102030405"));
            connection.binary(HEX.parseHex(subscribedInBinary("/a", 1, 0) + "ffff"));
            // Flag 0x20 without a headers event before must be ignored.
            connection.binary(HEX.parseHex("a0" + "00" + "00000000000001" + "018bcfe56800" + "022f61" + "31"));
            connection.binary(HEX.parseHex("0e42" + "aa"));
            connection.binary(HEX.parseHex("80" + "00" + "00000000000002" + "018bcfe56800" + "022f61" + "32"));
        });
        requireTexts(client, "1", "2");
    }

    private static void fragments(Scene scene) {
        DrivenClient client = start(scene, Wire.JSON, "/a", connection -> {
            connection.text(subscribedInJson("/a"));
            byte[] whole = message(1).getBytes(StandardCharsets.UTF_8);
            connection.frame(0x01, Arrays.copyOf(whole, 10));
            connection.frame(0x89, new byte[] {1});
            connection.frame(0x00, new byte[0]);
            connection.frame(0x80, Arrays.copyOfRange(whole, 10, whole.length));
            connection.text(message(2));
        });
        requireTexts(client, "1", "2");
    }

    private static void pings(Scene scene) {
        AtomicReference<String> answer = new AtomicReference<>("");
        ScriptedPeer peer = scene.closing(new ScriptedPeer(connection -> {
            connection.upgrade();
            connection.frame(0x89, "are you there".getBytes(StandardCharsets.UTF_8));
            byte[] frame = connection.readFrame();
            while (frame[0] != 10) {
                frame = connection.readFrame();
            }
            answer.set(new String(frame, 1, frame.length - 1, StandardCharsets.UTF_8));
            connection.drain();
        }));
        scene.start(scene.plan(scene.can(Wire.JSON) ? Wire.JSON : Wire.BINARY, peer.port()));
        Await.until("the pong", () -> answer.get().equals("are you there"));
    }

    private static void positions(Scene scene) {
        DrivenClient client = start(scene, Wire.JSON, "/a", connection -> {
            connection.text(subscribedInJson("/a"));
            for (int seq : List.of(1, 2, 2, 1, 3, 6, 6, 5, 7)) {
                connection.text(message(seq));
            }
            connection.text(message(20).replace("\"time\"", "\"prev\":7,\"time\""));
            connection.text(
                    "{\"op\":\"gap\",\"subject\":\"/a\",\"from\":\"1:20\",\"to\":\"1:30\",\"reason\":\"slow-consumer\"}");
            connection.text(message(31));
        });
        requireTexts(client, "1", "2", "3", "6", "7", "20", "31");
        assertThat(client.gaps())
                .extracting(
                        gap -> gap.path("from").asText(), gap -> gap.path("to").asText())
                .containsExactly(tuple("1:3", "1:5"), tuple("1:20", "1:30"));
    }

    private static void trickling(Scene scene, Wire wire) {
        ScriptedPeer peer = scene.closing(new ScriptedPeer(connection -> {
            boolean stream = connection.readHead().startsWith("GET /subscribe");
            if (wire == Wire.BINARY || wire == Wire.JSON) {
                connection.upgrade();
                connection.awaitSubscribe();
                connection.trickle(frames(wire));
            } else if (stream) {
                connection.write("HTTP/1.1 200 OK\r\nContent-Type: "
                        + (wire == Wire.LINES ? "application/x-ndjson" : "text/event-stream")
                        + "\r\nTransfer-Encoding: chunked\r\n\r\n");
                connection.trickle(chunks(wire));
            }
            connection.drain();
        }));
        DrivenClient client = scene.start(scene.plan(wire, peer.port()));
        client.subscribe("/a");
        requireTexts(client, "1", "2", "3");
    }

    private static byte[] frames(Wire wire) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (wire == Wire.JSON) {
            for (String text : List.of(CONNECTED, subscribedInJson("/a"), message(1), message(2), message(3))) {
                all.writeBytes(ScriptedPeer.Connection.frameBytes(0x81, text.getBytes(StandardCharsets.UTF_8)));
            }
            return all.toByteArray();
        }
        List<String> frames = new ArrayList<>(
                List.of(CONNECTED_BINARY, "0c00" + "00" + "0000000000000001", subscribedInBinary("/a", 1, 0)));
        for (int i = 1; i <= 3; i++) {
            frames.add("80" + "00" + "0000000000000" + i + "018bcfe56800" + "022f61" + "3" + i);
        }
        frames.forEach(frame -> all.writeBytes(ScriptedPeer.Connection.frameBytes(0x82, HEX.parseHex(frame))));
        return all.toByteArray();
    }

    /** The events in chunks that end anywhere, with the comments of a server between them. */
    private static byte[] chunks(Wire wire) throws IOException {
        StringBuilder text = new StringBuilder();
        if (wire == Wire.LINES) {
            text.append(subscribedInJson("/a")).append("\n\n");
            for (int i = 1; i <= 3; i++) {
                text.append(message(i)).append('\n');
            }
        } else {
            text.append("event: subscribed\nid: 1:0\ndata: ")
                    .append(subscribedInJson("/a"))
                    .append("\n\n:\n\n");
            for (int i = 1; i <= 3; i++) {
                text.append("id: 1:")
                        .append(i)
                        .append("\ndata: ")
                        .append(message(i))
                        .append("\n\n");
            }
        }
        StringBuilder chunks = new StringBuilder();
        for (int at = 0; at < text.length(); at += 37) {
            String part = text.substring(at, Math.min(text.length(), at + 37));
            chunks.append(Integer.toHexString(part.length()))
                    .append("\r\n")
                    .append(part)
                    .append("\r\n");
        }
        return chunks.toString().getBytes(StandardCharsets.UTF_8);
    }
}
