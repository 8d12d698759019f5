package io.belfry.server.command;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How long a stop may take. Filled by the command line, then unchanged. */
final class StopOptions {
    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = TimeConverter.class,
            description = "after this time the server is killed (default: ${DEFAULT-VALUE})")
    private Duration patience = Duration.ofSeconds(30);

    Duration patience() {
        return patience;
    }
}
