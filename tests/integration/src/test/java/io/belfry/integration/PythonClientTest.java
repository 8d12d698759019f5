package io.belfry.integration;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the tests of the Python client, which are in clients/python/tests. */
@Tag("slow")
final class PythonClientTest {
    private static final Path FOLDER = TestMachine.root().resolve("clients/python");
    private static final Path VERSIONS = FOLDER.resolve("requirements-dev.txt");

    /** These tests need no package, so they also run on a machine without a package index. */
    @Test
    void theEngineWorksWithTheStandardLibraryAlone() {
        String python = PythonVenv.system(3, 11);
        run(Map.of("PYTHONPATH", "src"), python, "-m", "unittest", "discover", "-s", "tests/engine");
    }

    @Test
    void bothFacesWorkWithBelfry() throws IOException {
        PythonVenv.system(3, 11);
        String python = PythonVenv.with("python-client", VERSIONS, "pytest", "pytest-asyncio", "hypothesis", "trustme");
        try (TestServer server = TestServer.start("PubSubTightlyCoupled=true", "CacheSize=200000")) {
            Map<String, String> given = Map.of("TEST_SERVER_PORT", Integer.toString(server.port()));
            run(given, python, "-m", "pytest", "-m", "not own_server", "tests/sockets", "tests/properties");
        }
    }

    @Test
    @Tag("complete")
    void everyCheckOfThePackagePasses() throws IOException, URISyntaxException {
        PythonVenv.system(3, 11);
        String python = PythonVenv.with("python-client-complete", VERSIONS);
        run(Map.of(), python, "-m", "ruff", "check", ".");
        run(Map.of(), python, "-m", "ruff", "format", "--check", ".");
        run(Map.of(), python, "-m", "mypy");
        run(Map.of(), python, "-m", "pyright");
        run(Map.of("TEST_AUTOBAHN", AutobahnTest.classPath()), python, "-m", "pytest", "tests");
    }

    private static void run(Map<String, String> environment, String... command) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("PYTHONDONTWRITEBYTECODE", "1");
        all.put("TEST_TOOLS", System.getProperty("belfry.tools", "skip"));
        all.put("PATH", Path.of(TestMachine.javaProgram()).getParent() + ":" + System.getenv("PATH"));
        try (Tool tool = Tool.start(FOLDER, all, new ArrayList<>(List.of(command)))) {
            tool.await(Duration.ofMinutes(10)).wellDone();
        }
    }
}
