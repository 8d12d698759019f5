package io.belfry.integration;

import java.io.IOException;
import java.net.URISyntaxException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs the checkers and all tests of the Python client. The name is early in the alphabet, so that this long class runs
 * beside others and not alone at the end.
 */
@Tag("complete")
final class AllPythonChecksTest {
    @Test
    void everyCheckOfThePackagePasses() throws IOException, URISyntaxException {
        PythonVenv.system(3, 11);
        String python = PythonVenv.with("python-client-complete", PythonClientTest.VERSIONS);
        String example = "../../docs/examples/chat";
        PythonClientTest.run(Map.of(), python, "-m", "ruff", "check", "--config", "pyproject.toml", ".", example);
        PythonClientTest.run(
                Map.of(), python, "-m", "ruff", "format", "--check", "--config", "pyproject.toml", ".", example);
        PythonClientTest.run(Map.of(), python, "-m", "mypy");
        PythonClientTest.run(Map.of(), python, "-m", "mypy", example);
        PythonClientTest.run(Map.of(), python, "-m", "pyright");
        try (TestServer server = TestServer.start("PubSubTightlyCoupled=true", "CacheSize=200000")) {
            Map<String, String> given = Map.of(
                    "TEST_SERVER_PORT", Integer.toString(server.port()), "TEST_AUTOBAHN", AutobahnTest.classPath());
            PythonClientTest.run(given, python, "-m", "pytest", "tests");
        }
    }
}
