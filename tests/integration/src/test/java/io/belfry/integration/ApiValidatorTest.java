package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks the description of the server API with openapi-spec-validator, a validator of another author. */
@Tag("complete")
final class ApiValidatorTest {
    private static final Path DESCRIPTION = TestMachine.root().resolve("docs/api/openapi.json");
    private static final Path VERSIONS =
            TestMachine.root().resolve("tests/integration/src/test/python/openapi-requirements.txt");

    @Test
    void theDescriptionIsValidOpenApi() throws IOException {
        PythonVenv.system(3, 11);
        String python = PythonVenv.with("openapi", VERSIONS);
        String output = Tool.run(python, "-m", "openapi_spec_validator", DESCRIPTION.toString())
                .wellDone();
        assertThat(output).contains("OK");
        Path broken = Files.createTempFile(TestMachine.target(), "openapi", ".json");
        Files.writeString(broken, Files.readString(DESCRIPTION).replaceFirst("\"openapi\"", "\"openapy\""));
        assertThat(Tool.run(python, "-m", "openapi_spec_validator", broken.toString())
                        .exitCode())
                .as("the validator reports a fault")
                .isNotZero();
    }
}
