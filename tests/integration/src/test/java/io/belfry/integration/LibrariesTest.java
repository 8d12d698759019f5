package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.RequiredPrograms;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests WebSocket libraries that applications use, each in its language; the scripts are in src/test. */
@Tag("slow")
final class LibrariesTest {
    private final SelfSigned certificate = SelfSigned.make();

    /** Both libraries offer compression by default. */
    private TestServer server(boolean compression) {
        return TestServer.start(certificate.settings("Compression=" + compression, "Compression.MinBytes=1"));
    }

    static Stream<Boolean> compression() {
        return TestScope.variants(List.of(true, false));
    }

    /** The short run has the library of Node, because this one needs an environment of Python. */
    @Tag("complete")
    @ParameterizedTest
    @MethodSource("compression")
    void websocketsForPythonWorksWithBelfry(boolean compression) throws IOException {
        try (TestServer server = server(compression)) {
            assertPrintsOk(server, "subscriber_and_publisher.py", Boolean.toString(compression));
            assertPrintsOkEncrypted(server, Boolean.toString(compression));
        }
    }

    /** Tests the cases of the Autobahn suite's groups 12 and 13, which the available version of the suite lacks. */
    @Test
    @Tag("complete")
    void compressedMessagesAreEchoedUnchanged() throws IOException {
        try (TestServer server = TestServer.start(
                "X.Echo=true", "Compression=on", "Compression.MinBytes=1", "Limit.InflateRatio=1032")) {
            assertPrintsOk(
                    server,
                    "compressed_echo.py",
                    Integer.getInteger("belfry.compressed.rounds", 1).toString());
        }
    }

    private static void assertPrintsOk(TestServer server, String script, String argument) throws IOException {
        Path scripts = TestMachine.module().resolve("src/test/python");
        String port = Integer.toString(server.port());
        assertThat(Tool.run(python(scripts), scripts.resolve(script).toString(), port, argument)
                        .wellDone())
                .isEqualToIgnoringNewLines("ok");
    }

    private void assertPrintsOkEncrypted(TestServer server, String compression) throws IOException {
        Path scripts = TestMachine.module().resolve("src/test/python");
        Path script = scripts.resolve("subscriber_and_publisher.py");
        Map<String, String> trusting =
                Map.of("SSL_CERT_FILE", certificate.certificate().toString());
        String port = Integer.toString(server.encryptedPort());
        List<String> command = List.of(python(scripts), script.toString(), port, compression, "wss");
        try (Tool tool = Tool.start(TestMachine.target(), trusting, command)) {
            assertThat(tool.await().wellDone()).isEqualToIgnoringNewLines("ok");
        }
    }

    private static String python(Path scripts) throws IOException {
        return PythonVenv.with("python", scripts.resolve("requirements.txt"));
    }

    @ParameterizedTest
    @MethodSource("compression")
    void wsForNodeWorksWithBelfry(boolean compression) throws IOException {
        Path scripts = TestMachine.module().resolve("src/test/js");
        Path modules = Files.createDirectories(TestMachine.target().resolve("js"));
        Path wanted = scripts.resolve("package-lock.json");
        Path installed = modules.resolve("installed.json");
        String howToInstall = "Debian: apt install nodejs npm";
        if (!Files.exists(installed) || Files.mismatch(wanted, installed) >= 0) {
            for (String file : new String[] {"package.json", "package-lock.json", ".npmrc"}) {
                Files.copy(
                        scripts.resolve(file),
                        modules.resolve(file),
                        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            }
            Tool.run(
                            modules,
                            RequiredPrograms.require(howToInstall, "npm"),
                            "ci",
                            "--ignore-scripts",
                            "--no-audit",
                            "--no-fund")
                    .wellDone();
            Files.copy(wanted, installed, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        String script = scripts.resolve("subscriber_and_publisher.mjs").toString();
        String node = RequiredPrograms.require(howToInstall, "node");
        try (TestServer server = server(compression)) {
            String port = Integer.toString(server.port());
            assertThat(Tool.run(node, script, port, modules.toString(), Boolean.toString(compression))
                            .wellDone())
                    .isEqualToIgnoringNewLines("ok");
        }
    }
}
