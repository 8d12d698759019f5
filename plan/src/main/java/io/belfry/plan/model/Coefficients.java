package io.belfry.plan.model;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.belfry.plan.model.Coefficient.Basis;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The coefficients of the model by name. The file that ships with Belfry defines their names and units. Immutable. */
public final class Coefficients {
    /** Rejects what Jackson would otherwise replace by a default: a missing or null value, a number in quotes. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .defaultSetterInfo(JsonSetter.Value.construct(Nulls.FAIL, Nulls.FAIL))
            .build();

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
            CoefficientFile file = JSON.readValue(text, CoefficientFile.class);
            require(file != null && file.format() == FORMAT, "\"format\" must be " + FORMAT);
            for (Coefficient each : file.coefficients()) {
                require(each.value() >= 0, "the value of " + each.name() + " must be a number from 0");
                // Origin and date are mandatory: a value that nobody can trace is useless.
                boolean traceable =
                        Stream.of(each.what(), each.source(), each.date()).noneMatch(String::isBlank);
                require(traceable, each.name() + " needs \"what\", \"source\" and \"date\"");
                coefficients.put(each);
            }
        } catch (JsonProcessingException invalid) {
            int line = invalid.getLocation() == null ? 1 : invalid.getLocation().getLineNr();
            require(false, "line " + line + ": " + invalid.getOriginalMessage());
        }
        return coefficients;
    }

    private record CoefficientFile(int format, List<Coefficient> coefficients) {}

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
        return JSON.valueToTree(new CoefficientFile(FORMAT, list())).toPrettyString();
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
