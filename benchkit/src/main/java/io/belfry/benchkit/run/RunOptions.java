package io.belfry.benchkit.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How a run goes, whatever its clients do. Immutable.
 *
 * @param duration of the measurement after the warm-up; zero = until stopped
 * @param rampDown after it; zero = none
 * @param machine the number of this machine
 */
public record RunOptions(
        Duration warmUp,
        Duration duration,
        Duration rampDown,
        Duration reportInterval,
        Optional<Path> histogramLog,
        int machine) {
    static final Duration REPORT_INTERVAL = Duration.ofSeconds(5);
}
