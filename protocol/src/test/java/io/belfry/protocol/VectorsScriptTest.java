package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The second implementation, in another language and from the documentation alone, agrees. */
class VectorsScriptTest {
    @Test
    void theVectorsHoldForAnImplementationWrittenFromTheDocumentation() throws IOException, InterruptedException {
        Process python = new ProcessBuilder("python3", "src/test/vectors-check.py", "src/test/resources/vectors")
                .redirectErrorStream(true)
                .start();
        String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(python.waitFor()).as(said).isZero();
    }
}
