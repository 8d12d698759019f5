package io.belfry.server.command;

import java.time.Duration;
import picocli.CommandLine.Option;

/** Timeout of a start. Filled by the command line, then unchanged. */
final class StartOptions {
    @Option(
            names = "--wait",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = TimeConverter.class,
            description = "waits at most this time until the server is ready (default: ${DEFAULT-VALUE})")
    private Duration timeout = Duration.ofSeconds(60);

    Duration timeout() {
        return timeout;
    }
}
