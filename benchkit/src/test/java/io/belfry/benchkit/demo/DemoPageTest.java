package io.belfry.benchkit.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoPageTest {
    @TempDir
    Path home;

    @Test
    void aBuiltPageIsServedAtThePrintedAddress() throws IOException {
        Path folder = Files.createDirectories(home.resolve("clients/js/build/page"));
        Files.createFile(folder.resolve("belfry.min.js"));
        DemoPage page = DemoPage.of(home);
        assertThat(page.settings()).containsExactly("DocumentRoot=" + folder);
        assertThat(page.line("127.0.0.1:1234"))
                .isEqualTo("page with live messages: http://127.0.0.1:1234/?subject=/demo/price");
    }

    @Test
    void theConsoleIsNamedIfItsPagesAreBuilt() throws IOException {
        assertThat(DemoPage.of(home).figuresLine("http://127.0.0.1:1")).isEqualTo("figures: http://127.0.0.1:1/stats");
        Files.createDirectories(home.resolve("console/build/site"));
        assertThat(DemoPage.of(home).figuresLine("http://127.0.0.1:1"))
                .isEqualTo("console: http://127.0.0.1:1/console/, figures: http://127.0.0.1:1/stats");
    }

    @Test
    void withoutTheJavaScriptClientOneLineSaysHowToBuildIt() {
        DemoPage page = DemoPage.of(home);
        assertThat(page.settings()).isEmpty();
        assertThat(page.line("127.0.0.1:1234"))
                .contains("the JavaScript client is not built", "(cd clients/js && npm ci && npm run build)")
                .doesNotContain("\n");
    }
}
