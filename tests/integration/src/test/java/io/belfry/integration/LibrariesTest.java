package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** WebSocket libraries that applications use, each in its own language; the conversations are in src/test. */
@Tag("slow")
final class LibrariesTest {
    private static ServerProcess server;

    private static SelfSigned certificate;

    @BeforeAll
    static void start() {
        certificate = SelfSigned.make();
        server = ServerProcess.start(certificate.settings());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void websocketsForPythonTalksToBelfry() throws IOException {
        Path scripts = Machine.module().resolve("src/test/python");
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
        String script = scripts.resolve("subscriber_and_publisher.py").toString();
        assertThat(Tool.run(python, script, Integer.toString(server.port())).wellDone())
                .isEqualToIgnoringNewLines("ok");
        Map<String, String> trusting =
                Map.of("SSL_CERT_FILE", certificate.certificate().toString());
        List<String> encrypted = List.of(python, script, Integer.toString(server.encryptedPort()), "wss");
        try (Tool tool = Tool.start(Machine.target(), trusting, encrypted)) {
            assertThat(tool.await().wellDone()).isEqualToIgnoringNewLines("ok");
        }
    }

    @Test
    void wsForNodeTalksToBelfry() throws IOException {
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
        assertThat(Tool.run(node, script, Integer.toString(server.port()), modules.toString())
                        .wellDone())
                .isEqualToIgnoringNewLines("ok");
    }
}
