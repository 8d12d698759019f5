package io.belfry.integration;

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
    static final Path VERSIONS = FOLDER.resolve("requirements-dev.txt");

    /** These tests need no package, so they also run on a machine without a package index. */
    @Test
    void theEngineWorksWithTheStandardLibraryAlone() {
        String python = PythonVenv.system(3, 11);
        run(Map.of("PYTHONPATH", "src"), python, "-m", "unittest", "discover", "-s", "tests/engine");
    }

    /** Runs a command in the folder of the Python client; fails if the command fails. */
    static void run(Map<String, String> environment, String... command) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("PYTHONDONTWRITEBYTECODE", "1");
        all.put("TEST_TOOLS", System.getProperty("belfry.tools", "skip"));
        all.put("PATH", Path.of(TestMachine.javaProgram()).getParent() + ":" + System.getenv("PATH"));
        try (Tool tool = Tool.start(FOLDER, all, new ArrayList<>(List.of(command)))) {
            tool.await(Duration.ofMinutes(10)).wellDone();
        }
    }
}
