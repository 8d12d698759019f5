package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSocket libraries that applications use, each in its own language; the conversations are in src/test. */
@Tag("slow")
final class LibrariesTest {
    private final SelfSigned certificate = SelfSigned.make();

    /** Both offer compression by themselves. */
    private ServerProcess server(boolean compression) {
        return ServerProcess.start(certificate.settings("Compression=" + compression, "Compression.MinBytes=1"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void websocketsForPythonTalksToBelfry(boolean compression) throws IOException {
        try (ServerProcess server = server(compression)) {
            assertSaysOk(server, "subscriber_and_publisher.py", Boolean.toString(compression));
            assertSaysOkEncrypted(server, Boolean.toString(compression));
        }
    }

    /** As the Autobahn suite does in its groups 12 and 13, which the suite that resolves does not have. */
    @Test
    void whateverIsCompressedComesBackAsItWas() throws IOException {
        try (ServerProcess server = ServerProcess.start(
                "X.Echo=true", "Compression=on", "Compression.MinBytes=1", "Limit.InflateRatio=1032")) {
            assertSaysOk(
                    server,
                    "compressed_echo.py",
                    Integer.getInteger("belfry.compressed.rounds", 1).toString());
        }
    }

    private static void assertSaysOk(ServerProcess server, String script, String argument) throws IOException {
        Path scripts = Machine.module().resolve("src/test/python");
        String port = Integer.toString(server.port());
        assertThat(Tool.run(python(scripts), scripts.resolve(script).toString(), port, argument)
                        .wellDone())
                .isEqualToIgnoringNewLines("ok");
    }

    private void assertSaysOkEncrypted(ServerProcess server, String compression) throws IOException {
        Path scripts = Machine.module().resolve("src/test/python");
        Path script = scripts.resolve("subscriber_and_publisher.py");
        Map<String, String> trusting =
                Map.of("SSL_CERT_FILE", certificate.certificate().toString());
        String port = Integer.toString(server.encryptedPort());
        List<String> command = List.of(python(scripts), script.toString(), port, compression, "wss");
        try (Tool tool = Tool.start(Machine.target(), trusting, command)) {
            assertThat(tool.await().wellDone()).isEqualToIgnoringNewLines("ok");
        }
    }

    private static String python(Path scripts) throws IOException {
        Path environment = Machine.target().resolve("python");
        Path wanted = scripts.resolve("requirements.txt");
        Path installed = environment.resolve("installed.txt");
        String python = environment.resolve("bin/python").toString();
        if (!Files.exists(installed) || Files.mismatch(wanted, installed) >= 0) {
            String system = Machine.required("python3", "Debian: apt install python3 python3-venv");
            Tool.run(system, "-m", "venv", environment.toString()).wellDone();
            Tool.run(python, "-m", "pip", "install", "--quiet", "-r", wanted.toString())
                    .wellDone();
            Files.copy(wanted, installed, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        return python;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void wsForNodeTalksToBelfry(boolean compression) throws IOException {
        Path scripts = Machine.module().resolve("src/test/js");
        Path modules = Files.createDirectories(Machine.target().resolve("js"));
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
                            Machine.required("npm", howToInstall),
                            "ci",
                            "--ignore-scripts",
                            "--no-audit",
                            "--no-fund")
                    .wellDone();
            Files.copy(wanted, installed, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        String script = scripts.resolve("subscriber_and_publisher.mjs").toString();
        String node = Machine.required("node", howToInstall);
        try (ServerProcess server = server(compression)) {
            String port = Integer.toString(server.port());
            assertThat(Tool.run(node, script, port, modules.toString(), Boolean.toString(compression))
                            .wellDone())
                    .isEqualToIgnoringNewLines("ok");
        }
    }
}
