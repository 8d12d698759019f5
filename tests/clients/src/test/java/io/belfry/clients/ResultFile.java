package io.belfry.clients;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.TestMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Writes the results of a run as JSON to {@code target/clients-results.json}. No state. */
final class ResultFile {
    private ResultFile() {}

    static void write(RunSettings settings, List<SuiteRun.Result> results, long nanos) throws IOException {
        ObjectNode root = DriverProcess.JSON
                .createObjectNode()
                .put("seed", settings.seed())
                .put("seconds", settings.seconds())
                .put("tookMillis", TimeUnit.NANOSECONDS.toMillis(nanos));
        ArrayNode list = root.putArray("results");
        for (SuiteRun.Result result : results) {
            list.addObject()
                    .put("client", result.client())
                    .put("group", result.behaviour().group())
                    .put("behaviour", result.behaviour().sentence())
                    .put(
                            "outcome",
                            result.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' '))
                    .put("detail", result.detail())
                    .put("millis", result.millis());
        }
        Path file = TestMachine.target().resolve("clients-results.json");
        Files.writeString(
                file, DriverProcess.JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
    }
}
