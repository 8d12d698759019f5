package io.belfry.plan.coefficient;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.plan.coefficient.Coefficient.Basis;
import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Trouble;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Coefficients as a JSON file: the one that comes with Belfry, and what a user made of it. Pure but for reading. */
public final class CoefficientsFile {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FORMAT = 1;

    private CoefficientsFile() {}

    /** Those of the machine that Belfry was measured on. */
    public static Coefficients ours() throws IOException {
        try (InputStream file = CoefficientsFile.class.getResourceAsStream("coefficients.json")) {
            return parse(new String(
                    Objects.requireNonNull(file, "coefficients.json").readAllBytes(),
                    java.nio.charset.StandardCharsets.UTF_8));
        }
    }

    public static Coefficients read(Path file) throws IOException {
        return parse(Files.readString(file));
    }

    static Coefficients parse(String text) {
        try {
            JsonNode root = JSON.readTree(text);
            if (root.path("format").asInt() != FORMAT) {
                throw bad("\"format\" is " + FORMAT);
            }
            List<Coefficient> list = new ArrayList<>();
            for (JsonNode each : root.path("coefficients")) {
                list.add(one(each));
            }
            return Coefficients.of(list);
        } catch (JsonProcessingException notJson) {
            throw bad("it is no JSON: " + notJson.getOriginalMessage());
        }
    }

    private static Coefficient one(JsonNode node) {
        String key = node.path("name").asText();
        Factor factor = Factor.of(key)
                .orElseThrow(() -> new Nonsense(Trouble.UNKNOWN_COEFFICIENT, "'" + key + "' is no coefficient"));
        if (!node.path("unit").asText().equals(factor.unit().symbol())) {
            throw bad("the unit of " + key + " is '" + factor.unit().symbol() + "'");
        }
        JsonNode value = node.path("value");
        if (!value.isNumber() || value.asDouble() < 0) {
            throw bad("the value of " + key + " is a number from 0");
        }
        return new Coefficient(
                factor,
                value.asDouble(),
                basis(key, node.path("basis").asText()),
                text(node, key, "what"),
                text(node, key, "source"),
                text(node, key, "date"));
    }

    private static Basis basis(String key, String word) {
        for (Basis basis : Basis.values()) {
            if (basis.word().equals(word)) {
                return basis;
            }
        }
        throw bad("the basis of " + key + " is measured, reckoned, assumed or given");
    }

    /** A figure that nobody can trace is worth nothing, so these must be there. */
    private static String text(JsonNode node, String key, String field) {
        String text = node.path(field).asText().strip();
        if (text.isEmpty()) {
            throw bad(key + " has no \"" + field + "\"");
        }
        return text;
    }

    private static Nonsense bad(String rule) {
        return new Nonsense(Trouble.BAD_COEFFICIENTS, "the coefficients cannot be used: " + rule);
    }

    /** What {@link #read} takes, to begin one's own with. */
    public static String write(Coefficients coefficients) throws IOException {
        ObjectNode root = JSON.createObjectNode().put("format", FORMAT);
        ArrayNode list = root.putArray("coefficients");
        for (Coefficient each : coefficients.list()) {
            list.addObject()
                    .put("name", each.factor().key())
                    .put("value", each.value())
                    .put("unit", each.factor().unit().symbol())
                    .put("basis", each.basis().word().toLowerCase(Locale.ROOT))
                    .put("what", each.what())
                    .put("source", each.source())
                    .put("date", each.date());
        }
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    }
}
