package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Replays the test vectors in both directions. Numbers are compared as text, because int and long nodes are never
 * equal.
 */
class VectorsTest {
    private final JsonCommands jsonCommands = new JsonCommands();
    private final BinaryCommands binaryCommands = new BinaryCommands();

    @TestFactory
    Stream<DynamicTest> aCommandIsReadFromBothEncodings() {
        return each("commands.json", vector -> {
            String fields = sorted(vector.get("fields"));
            assertThat(sorted(read(vector.get("json").textValue()))).isEqualTo(fields);
            assertThat(sorted(readBinary(vector))).isEqualTo(fields);
            for (JsonNode also : vector.path("jsonAlso")) {
                assertThat(sorted(read(also.textValue()))).as(also.textValue()).isEqualTo(fields);
            }
        });
    }

    JsonNode read(String json) {
        return RecordedCommands.of(jsonCommands, Vectors.buffer(json));
    }

    JsonNode readBinary(JsonNode vector) {
        return RecordedCommands.of(
                binaryCommands, Vectors.hex(vector.get("binary").textValue()));
    }

    @TestFactory
    Stream<DynamicTest> aCommandIsWrittenInBothEncodings() {
        return each("commands.json", vector -> {
            assertThat(Vectors.text(written(new JsonClientEncoding(), vector)))
                    .isEqualTo(vector.get("json").textValue());
            assertThat(Vectors.hex(written(new BinaryClientEncoding(), vector)))
                    .isEqualTo(vector.get("binary").textValue());
        });
    }

    static ByteBuf written(ClientEncoding encoding, JsonNode vector) {
        ByteBuf out = Unpooled.buffer();
        JsonNode fields = vector.get("fields");
        long id = id(fields);
        switch (fields.get("op").textValue()) {
            case "connect" -> encoding.connect(out, id, connectRequest(fields));
            case "subscribe" -> encoding.subscribe(out, id, subscribeRequest(fields));
            case "unsubscribe" -> encoding.unsubscribe(out, id, subjects(fields));
            case "publish" ->
                encoding.publish(
                        out,
                        id,
                        subject(fields),
                        Vectors.hex(fields.get("hex").textValue()),
                        new PublishTerms(
                                fields.has("retain"),
                                fields.path("msgId").textValue(),
                                headers(fields),
                                fields.path("ttl").asLong(),
                                fields.path("origin").textValue()));
            case "ping" -> encoding.ping(out, id);
            case "watch" -> encoding.watch(out, id, subject(fields));
            case "unwatch" -> encoding.unwatch(out, id, subject(fields));
            default -> throw new AssertionError(fields);
        }
        return out;
    }

    static Map<String, String> headers(JsonNode fields) {
        Map<String, String> headers = new LinkedHashMap<>();
        fields.path("headers")
                .properties()
                .forEach(each -> headers.put(each.getKey(), each.getValue().textValue()));
        return headers;
    }

    private static ConnectRequest connectRequest(JsonNode fields) {
        List<SubjectPosition> received = new ArrayList<>();
        JsonNode positions = fields.path("positions");
        for (int i = 0; i < positions.size(); i += 2) {
            received.add(new SubjectPosition(
                    positions.get(i).textValue().getBytes(StandardCharsets.UTF_8),
                    Objects.requireNonNull(Position.parse(positions.get(i + 1).textValue()))));
        }
        String session = fields.path("session").textValue();
        return new ConnectRequest(
                fields.path("token").textValue(),
                fields.path("ping").asLong(),
                session == null ? null : new KeptSession(session, received),
                fields.path("client").textValue());
    }

    private static SubscribeRequest subscribeRequest(JsonNode fields) {
        Position from = fields.has("from") ? Position.parse(fields.get("from").textValue()) : null;
        return new SubscribeRequest(
                subjects(fields),
                from,
                from == null ? patternPosition(fields, "from") : null,
                fields.path("history").intValue(),
                fields.path("conflate").intValue(),
                fields.has("delta"));
    }

    static @Nullable PatternPosition patternPosition(JsonNode fields, String name) {
        return fields.has(name) ? PatternPosition.parse(fields.get(name).textValue()) : null;
    }

    @TestFactory
    Stream<DynamicTest> anEventIsWrittenInBothEncodings() {
        return each("events.json", vector -> {
            if (vector.has("json")) {
                assertThat(Vectors.text(EventVectors.written(new JsonEncoding(), vector)))
                        .isEqualTo(vector.get("json").textValue());
            }
            assertThat(Vectors.hex(EventVectors.written(new BinaryEncoding(), vector)))
                    .isEqualTo(vector.get("binary").textValue());
        });
    }

    @TestFactory
    Stream<DynamicTest> anEventIsReadFromBothEncodings() {
        return each("events.json", vector -> {
            BinaryServerEvents binary = EventVectors.decoderKnowing(vector.path("epochs"));
            JsonNode read =
                    RecordedEvents.of(binary, Vectors.hex(vector.get("binary").textValue()));
            if (!vector.has("json")) {
                assertThat(read)
                        .as("the epoch table is the decoder's own affair")
                        .isNull();
                return;
            }
            String fields = sorted(vector.get("fields"));
            assertThat(sorted(read)).isEqualTo(fields);
            for (String json : jsonForms(vector)) {
                JsonNode event = RecordedEvents.of(new JsonServerEvents(), Vectors.buffer(json));
                assertThat(sorted(event)).as(json).isEqualTo(fields);
            }
        });
    }

    private static List<String> jsonForms(JsonNode vector) {
        List<String> forms = new ArrayList<>(List.of(vector.get("json").textValue()));
        vector.path("jsonAlso").forEach(also -> forms.add(also.textValue()));
        return forms;
    }

    @TestFactory
    Stream<DynamicTest> whatIsNoCommandIsRefusedWithItsCode() {
        return each("invalid-commands.json", vector -> {
            JsonNode refused = vector.has("json") ? read(vector.get("json").textValue()) : readBinary(vector);
            assertThat(refused.path("code")).as("%s", refused).isEqualTo(vector.get("code"));
            assertThat(id(refused)).isEqualTo(id(vector));
            assertThat(refused.path("reason").textValue()).isNotBlank().hasSizeLessThan(256);
        });
    }

    @TestFactory
    Stream<DynamicTest> subjectsAndPatternsKeepTheirRules() {
        return each("subjects.json", vector -> {
            ByteBuf bytes = vector.has("hex")
                    ? Vectors.hex(vector.get("hex").textValue())
                    : Vectors.buffer(vector.get("text").textValue());
            byte[] array = bytes.array();
            assertThat(code(Subjects.problem(bytes, 0, array.length)))
                    .isEqualTo(vector.get("plain").textValue());
            assertThat(code(Subjects.subscriptionProblem(array, true)))
                    .isEqualTo(vector.get("pattern").textValue());
        });
    }

    private static @Nullable String code(@Nullable String problem) {
        return problem == null ? null : Subjects.code(problem).text();
    }

    @TestFactory
    Stream<DynamicTest> patternsMatchWhatTheyShould() {
        return each("matches.json", vector -> {
            byte[] pattern = Vectors.utf8(vector.get("pattern").textValue());
            assertThat(Subjects.matches(pattern, subject(vector)))
                    .isEqualTo(vector.get("matches").booleanValue());
            assertThat(Subjects.isPattern(pattern))
                    .isEqualTo(vector.get("pattern").textValue().contains("*"));
        });
    }

    @Test
    void everyOpHasAVector() {
        assertThat(ops("commands.json")).hasSize(7);
        assertThat(ops("events.json")).hasSize(16);
    }

    private static List<String> ops(String file) {
        return Vectors.of(file).stream()
                .map(vector -> vector.at("/fields/op").textValue())
                .distinct()
                .toList();
    }

    static Stream<DynamicTest> each(String file, Consumer<JsonNode> check) {
        return Vectors.of(file).stream()
                .map(vector -> DynamicTest.dynamicTest(name(vector), () -> check.accept(vector)));
    }

    private static String name(JsonNode vector) {
        return vector.has("name") ? vector.get("name").textValue() : vector.toString();
    }

    static long id(JsonNode fields) {
        return fields.has("id") ? fields.get("id").longValue() : CommandHandler.NO_ID;
    }

    static byte[] subject(JsonNode fields) {
        return Vectors.utf8(fields.get("subject").textValue());
    }

    private static List<byte[]> subjects(JsonNode fields) {
        List<byte[]> subjects = new ArrayList<>();
        fields.get("subjects").forEach(subject -> subjects.add(Vectors.utf8(subject.textValue())));
        return subjects;
    }

    static String sorted(@Nullable JsonNode fields) {
        if (fields == null) {
            return "nothing";
        }
        return fields.properties().stream()
                .map(Object::toString)
                .sorted()
                .toList()
                .toString();
    }
}
