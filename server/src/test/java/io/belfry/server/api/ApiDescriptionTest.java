package io.belfry.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.server.config.ApiConfig;
import io.belfry.server.config.ListenAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Compares docs/api/openapi.json with the calls in the code. */
class ApiDescriptionTest {
    /** What both sides state about a call. */
    private record Call(String right, Set<String> parameters, Set<String> segments, boolean body) {}

    private static ApiSetup setup() {
        ApiConfig config = new ApiConfig(
                new ListenAddress("127.0.0.1", 0),
                Path.of("keys"),
                1,
                1024,
                64 << 10,
                1,
                1000,
                new ApiConfig.Revoking(1, Optional.empty()),
                List.of());
        return new ApiSetup(config, List.of(), "node", List::of, over -> {}, null);
    }

    private static List<ApiEndpoint> endpoints() {
        ApiSetup setup = setup();
        try (PeerNodes peers = new PeerNodes(setup.config(), setup.node())) {
            return ApiEndpoints.of(setup, peers);
        }
    }

    private static Map<String, Call> coded() {
        Map<String, Call> calls = new TreeMap<>();
        for (ApiEndpoint each : endpoints()) {
            Set<String> segments = new TreeSet<>();
            for (String segment : each.path().split("/", -1)) {
                if (segment.startsWith("{")) {
                    segments.add(segment.substring(1, segment.length() - 1));
                }
            }
            calls.put(
                    each.method() + " " + each.path(),
                    new Call(
                            each.right().text(),
                            new TreeSet<>(each.parameters()),
                            segments,
                            each.method().equals("POST")));
        }
        return calls;
    }

    private static Map<String, Call> described() throws IOException {
        JsonNode document =
                new ObjectMapper().readTree(Path.of("../docs/api/openapi.json").toFile());
        assertThat(document.path("openapi").asText()).startsWith("3.1.");
        Map<String, Call> calls = new TreeMap<>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(method -> calls.put(
                                method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(),
                                new Call(
                                        method.getValue().path("x-right").asText(),
                                        names(method.getValue(), "query"),
                                        names(method.getValue(), "path"),
                                        method.getValue().has("requestBody")))));
        return calls;
    }

    private static Set<String> names(JsonNode operation, String place) {
        Set<String> names = new TreeSet<>();
        for (JsonNode each : operation.path("parameters")) {
            if (each.path("in").asText().equals(place)) {
                names.add(each.path("name").asText());
            }
        }
        return names;
    }

    @Test
    void theDescriptionHasExactlyTheCallsOfTheCode() throws IOException {
        assertThat(described()).isEqualTo(coded());
    }

    @Test
    void everyReferenceOfTheDescriptionLeadsToASchema() throws IOException {
        JsonNode document =
                new ObjectMapper().readTree(Path.of("../docs/api/openapi.json").toFile());
        List<String> references = document.findValuesAsText("$ref");
        assertThat(references).isNotEmpty();
        for (String reference : references) {
            assertThat(document.at(reference.substring(1)).isObject())
                    .as(reference)
                    .isTrue();
        }
    }

    @Test
    void theReferencePageNamesEveryCall() throws IOException {
        String page = Files.readString(Path.of("../docs/server-api.md"));
        for (ApiEndpoint each : endpoints()) {
            String shown = each.path().replace("{session}", "SESSION").replace("{node}", "NODE");
            assertThat(page).contains("`" + each.method() + " " + shown + "`");
        }
    }
}
