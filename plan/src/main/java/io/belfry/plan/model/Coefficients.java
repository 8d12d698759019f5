package io.belfry.plan.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.plan.model.Coefficient.Basis;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The coefficients of the model by name. The file that ships with Belfry defines their names and units. Immutable. */
public final class Coefficients {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FORMAT = 1;

    private final Map<String, Coefficient> all = new LinkedHashMap<>();

    private Coefficients(Map<String, Coefficient> given) {
        all.putAll(given);
    }

    /** Returns the coefficients of the machine that Belfry was measured on. */
    public static Coefficients builtIn() throws IOException {
        try (InputStream file = Coefficients.class.getResourceAsStream("coefficients.json")) {
            return parse(new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /**
     * Reads the text of a user's file.
     *
     * @throws PlanError if a coefficient is missing or unknown, or has no unit, source or date
     */
    public static Coefficients read(String text) throws IOException {
        Coefficients result = builtIn();
        Coefficients given = parse(text);
        for (Coefficient each : given.list()) {
            Unit unit = result.of(each.name()).unit();
            require(each.unit() == unit, "the unit of " + each.name() + " must be '" + unit.symbol() + "'");
            result.put(each);
        }
        result.all.keySet().forEach(name -> require(given.all.containsKey(name), name + " is missing"));
        return result;
    }

    private static Coefficients parse(String text) {
        Coefficients coefficients = new Coefficients(Map.of());
        try {
            JsonNode root = JSON.readTree(text);
            require(root.path("format").asInt() == FORMAT, "\"format\" must be " + FORMAT);
            root.path("coefficients").forEach(each -> coefficients.put(coefficient(each)));
        } catch (JsonProcessingException notJson) {
            require(false, "it is not JSON: " + notJson.getOriginalMessage());
        }
        return coefficients;
    }

    private static Coefficient coefficient(JsonNode node) {
        String name = node.path("name").asText();
        JsonNode value = node.path("value");
        require(value.isNumber() && value.asDouble() >= 0, "the value of " + name + " must be a number from 0");
        // Origin and date are mandatory: a value that nobody can trace is useless.
        for (String field : List.of("what", "source", "date")) {
            require(!node.path(field).asText().isBlank(), name + " has no \"" + field + "\"");
        }
        return new Coefficient(
                name,
                value.asDouble(),
                Unit.values()[index(node, "unit", Arrays.stream(Unit.values()).map(Unit::symbol))],
                Basis.values()[
                        index(node, "basis", Arrays.stream(Basis.values()).map(Basis::word))],
                node.path("what").asText().strip(),
                node.path("source").asText().strip(),
                node.path("date").asText().strip());
    }

    private static int index(JsonNode node, String field, Stream<String> words) {
        List<String> all = words.toList();
        int index = all.indexOf(node.path(field).asText());
        String sentence = "the " + field + " of " + node.path("name").asText() + " must be one of ";
        require(index >= 0, sentence + String.join(", ", all));
        return index;
    }

    private static void require(boolean valid, String rule) {
        if (!valid) {
            throw new PlanError(PlanError.Code.BAD_COEFFICIENTS, "invalid file of coefficients: " + rule);
        }
    }

    private void put(Coefficient coefficient) {
        all.put(coefficient.name(), coefficient);
    }

    /** Returns the text of a file that {@link #read} accepts. */
    public String json() {
        ObjectNode root = JSON.createObjectNode().put("format", FORMAT);
        root.set("coefficients", JSON.valueToTree(list()));
        return root.toPrettyString();
    }

    /** Returns these with overrides such as {@code cpu-delivery=6.5}, in the unit of the coefficient. */
    public Coefficients with(List<String> overrides) {
        Coefficients changed = new Coefficients(all);
        for (String override : overrides) {
            String[] parts = (override + "=").split("=", -1);
            Coefficient old = of(parts[0].strip());
            double value = number(old, parts[1].strip());
            changed.put(
                    new Coefficient(old.name(), value, old.unit(), Basis.GIVEN, old.what(), "the command line", ""));
        }
        return changed;
    }

    private static double number(Coefficient of, String text) {
        try {
            double value = Double.parseDouble(text);
            if (value >= 0 && value < Double.POSITIVE_INFINITY) {
                return value;
            }
        } catch (NumberFormatException invalid) {
            // Reported like a number that is out of range.
        }
        throw PlanError.badValue(
                of.name(), "must be a number from 0, in " + of.unit().symbol(), text);
    }

    /** Returns the coefficient of this name; throws {@link PlanError} if there is none. */
    public Coefficient of(String name) {
        Coefficient found = all.get(name);
        if (found == null) {
            throw new PlanError(
                    PlanError.Code.UNKNOWN_COEFFICIENT,
                    "'" + name + "' is no coefficient; 'bin/belfry plan coefficients' lists all");
        }
        return found;
    }

    /** Returns the names of the coefficients that nobody has measured. */
    public List<String> assumed() {
        return all.values().stream()
                .filter(each -> each.basis() == Basis.ASSUMED)
                .map(Coefficient::name)
                .toList();
    }

    /** Returns all coefficients in the order of the file. */
    public List<Coefficient> list() {
        return List.copyOf(all.values());
    }
}
