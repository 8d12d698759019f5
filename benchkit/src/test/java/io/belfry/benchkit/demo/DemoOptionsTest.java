package io.belfry.benchkit.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.benchkit.demo.DemoProgram.DemoOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoOptionsTest {
    @TempDir
    Path folder;

    @Test
    void theArgumentsAreSecondsAndClients() {
        DemoOptions options = DemoOptions.parse("--seconds", "3", "--clients", "10");
        assertThat(options.seconds).isEqualTo(3);
        assertThat(options.clients).isEqualTo(10);
        assertThatThrownBy(() -> DemoOptions.parse("--second", "3")).hasMessageContaining("usage: belfry demo");
        assertThatThrownBy(() -> DemoOptions.parse("--clients", "0")).hasMessageContaining("from 1");
        assertThatThrownBy(() -> DemoOptions.parse("--clients")).hasMessageContaining("from 1");
    }
}
