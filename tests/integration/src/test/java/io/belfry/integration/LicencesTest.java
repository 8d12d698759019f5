package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that shipped components are listed with their licences (CycloneDX) and that each licence permits
 * redistribution.
 */
final class LicencesTest {
    /** A component with several licences is offered under any of them, so a single allowed one is enough. */
    private static final Set<String> ALLOWED = Set.of(
            "Apache-2.0",
            "MIT",
            "BSD-2-Clause",
            "BSD-3-Clause",
            "CC0-1.0",
            "EPL-1.0",
            "EPL-2.0",
            "Public Domain, per Creative Commons CC0");

    private static JsonNode bom(String module) throws IOException {
        return Http.json(Files.readString(TestMachine.root().resolve(module).resolve("target/bom.json")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "clients/java", "bench", "attack", "plan", "cli", "otlp"})
    void everyComponentHasAnAllowedLicence(String module) throws IOException {
        assertThat(bom(module).path("components")).isNotEmpty();
        for (JsonNode component : bom(module).path("components")) {
            assertThat(licences(component))
                    .as("%s %s", component.path("name").asText(), component.path("licenses"))
                    .containsAnyElementsOf(ALLOWED);
        }
    }

    private static List<String> licences(JsonNode component) {
        List<String> licences = new ArrayList<>();
        for (JsonNode each : component.path("licenses")) {
            JsonNode licence = each.path("license");
            licences.add(licence.path("id").asText(licence.path("name").asText()));
        }
        return licences;
    }

    @Test
    void everyJarBesideTheServerIsListed() throws IOException {
        List<String> listed = new ArrayList<>();
        for (JsonNode component : bom("server").path("components")) {
            listed.add(component.path("name").asText() + "-"
                    + component.path("version").asText());
        }
        try (Stream<Path> jars = Files.list(TestMachine.root().resolve("server/target/lib"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString()))
                    .isNotEmpty()
                    .allSatisfy(jar -> assertThat(listed).anyMatch(jar::startsWith));
        }
    }
}
