package io.belfry.server.command;

import java.time.Duration;
import picocli.CommandLine.Option;

/** Timeout of a stop. Filled by the command line, then unchanged. */
final class StopOptions {
    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = TimeConverter.class,
            description = "kills the server if it has not stopped after this time (default: ${DEFAULT-VALUE})")
    private Duration timeout = Duration.ofSeconds(30);

    Duration timeout() {
        return timeout;
    }
}
