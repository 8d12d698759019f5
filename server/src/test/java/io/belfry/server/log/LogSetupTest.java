package io.belfry.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.LogConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LogSetupTest {
    private static final Logger LOG = LoggerFactory.getLogger("io.belfry.server.Something");

    @TempDir
    Path temporary;

    private LogConfig config(long rotateLimitBytes, int files) {
        return new LogConfig(0, temporary.resolve("logs 100%d"), "INFO", rotateLimitBytes, files);
    }

    private List<String> lines(LogConfig config) throws IOException {
        return Files.readAllLines(LogSetup.file(config, "belfry"));
    }

    @Test
    void aLineHasTimeLevelThreadAndOrigin() throws IOException {
        LogConfig config = config(1 << 20, 3);
        try (LogSetup setup = LogSetup.open(config, "belfry", false)) {
            assertThat(setup).isNotNull();
            LOG.info("listening on {}", "*:8800");
        }
        assertThat(lines(config))
                .singleElement()
                .asString()
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\S+ INFO  \\[.+] Something: "
                        + "listening on \\*:8800");
    }

    @Test
    void foreignTextCannotForgeALine() throws IOException {
        LogConfig config = config(1 << 20, 3);
        try (LogSetup setup = LogSetup.open(config, "belfry", false)) {
            assertThat(setup).isNotNull();
            LOG.info("refused {}", "/a\r\n2030-01-01T00:00:00 ERROR forged");
        }
        assertThat(lines(config)).hasSize(1);
    }

    @Test
    void foreignTextCannotControlATerminal() throws IOException {
        LogConfig config = config(1 << 20, 3);
        try (LogSetup setup = LogSetup.open(config, "belfry", false)) {
            assertThat(setup).isNotNull();
            LOG.info("refused {}", "/a\u001b[2J\u0000\u0085\u2028b");
        }
        assertThat(lines(config)).singleElement().asString().endsWith("refused /a [2J b");
    }

    @Test
    void anExceptionsMessageCannotForgeALine() throws IOException {
        LogConfig config = config(1 << 20, 3);
        try (LogSetup setup = LogSetup.open(config, "belfry", false)) {
            assertThat(setup).isNotNull();
            Throwable cause = new IllegalStateException("why\n2030-01-01T00:00:00 ERROR forged\r\nand this");
            LOG.warn("failed", new IllegalArgumentException("a\nb", cause));
        }
        assertThat(lines(config))
                .anyMatch(line -> line.endsWith("IllegalArgumentException: a b"))
                .anyMatch(line -> line.startsWith("Caused by: ") && line.endsWith("forged and this"))
                .noneMatch(line -> line.startsWith("2030"));
    }

    @Test
    void theLevelChangesWhileRunning() throws IOException {
        LogConfig config = config(1 << 20, 3);
        try (LogSetup setup = LogSetup.open(config, "belfry", false)) {
            LOG.debug("not yet");
            setup.level("DEBUG");
            LOG.debug("now");
            setup.level("ERROR");
            LOG.warn("no more");
        }
        assertThat(lines(config)).singleElement().asString().endsWith("now");
    }

    @Test
    void closingTheLogRestoresTheLevel() throws IOException {
        try (LogSetup setup = LogSetup.open(config(1 << 20, 3), "belfry", false)) {
            setup.level("ERROR");
        }
        assertThat(LOG.isInfoEnabled()).isTrue();
    }

    @Test
    void nettysDebugMessagesAreNotLogged() throws IOException {
        try (LogSetup setup = LogSetup.open(config(1 << 20, 3), "belfry", false)) {
            setup.level("TRACE");
            assertThat(LoggerFactory.getLogger("io.netty.util").isDebugEnabled())
                    .isFalse();
            setup.level("ERROR");
            assertThat(LoggerFactory.getLogger("io.netty.util").isInfoEnabled()).isFalse();
        }
    }

    @Test
    void aStackTraceKeepsItsLines() throws IOException {
        LogConfig config = config(1 << 20, 3);
        try (LogSetup setup = LogSetup.open(config, "belfry", false)) {
            assertThat(setup).isNotNull();
            LOG.warn("failed", new IllegalStateException("why"));
        }
        assertThat(lines(config)).hasSizeGreaterThan(2).anyMatch(line -> line.startsWith("\tat "));
    }

    @Test
    void theConfiguredNumberOfLogFilesIsKept() throws IOException {
        assertThatFilesAreKept(25);
        assertThatFilesAreKept(2);
        assertThatFilesAreKept(1);
    }

    private void assertThatFilesAreKept(int files) throws IOException {
        LogConfig config = config(4096, files);
        try (LogSetup setup = LogSetup.open(config, "belfry", false)) {
            assertThat(setup).isNotNull();
            for (int i = 0; i < 2_000; i++) {
                LOG.info("line {} of many, long enough to fill a file soon {}", i, "x".repeat(100));
            }
        }
        try (Stream<Path> found = Files.list(config.folder())) {
            assertThat(found).hasSize(files).allMatch(file -> file.toFile().length() < 2 * 4096);
        }
        assertThat(lines(config).getLast()).contains("line 1999 ");
        try (Stream<Path> found = Files.list(config.folder())) {
            found.forEach(file -> assertThat(file.toFile().delete()).isTrue());
        }
    }

    @Test
    void anExistingLogFileIsAppendedTo() throws IOException {
        LogConfig config = config(1 << 20, 3);
        for (int start = 0; start < 2; start++) {
            try (LogSetup setup = LogSetup.open(config, "belfry", false)) {
                assertThat(setup).isNotNull();
                LOG.info("start {}", start);
            }
        }
        assertThat(lines(config)).hasSize(2);
        try (Stream<Path> files = Files.list(config.folder())) {
            assertThat(files).hasSize(1);
        }
    }
}
