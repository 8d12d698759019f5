package io.belfry.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs {@code bin/belfry} commands for a node. Immutable. */
record BelfryScript(Path home) {
    /** The output of a command and its exit code. */
    record Result(int exitCode, String output) {}

    Result run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("sh", home.resolve("bin").resolve("belfry").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output.strip());
    }
}
