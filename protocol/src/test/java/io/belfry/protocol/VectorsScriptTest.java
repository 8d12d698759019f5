package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.RequiredPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Checks the vectors with a second implementation, written in another language from the documentation alone. */
class VectorsScriptTest {
    @Test
    void anIndependentImplementationAgreesWithTheVectors() throws IOException, InterruptedException {
        Process python = new ProcessBuilder(
                        RequiredPrograms.require("Debian: apt install python3", "python3"),
                        "src/test/vectors-check.py",
                        "src/test/resources/vectors")
                .redirectErrorStream(true)
                .start();
        String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(python.waitFor()).as(said).isZero();
    }
}
