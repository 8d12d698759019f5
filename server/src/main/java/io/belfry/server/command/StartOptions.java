package io.belfry.server.command;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How long a start may take. Filled by the command line, then unchanged. */
final class StartOptions {
    @Option(
            names = "--wait",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = TimeConverter.class,
            description = "how long to wait until the server is ready (default: ${DEFAULT-VALUE})")
    private Duration patience = Duration.ofSeconds(60);

    Duration patience() {
        return patience;
    }
}
