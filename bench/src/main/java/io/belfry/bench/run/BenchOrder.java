package io.belfry.bench.run;

import io.belfry.bench.scenario.BenchPlan;
import io.belfry.benchkit.run.StopSignal;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The order to run a scenario. Immutable, but for the signal.
 *
 * @param home the folder that contains {@code bin}
 * @param report folder for the report and, in a subfolder, the files of the processes
 * @param server {@code host:port} of a running server; empty: each measurement starts its own
 * @param monitor {@code host:port} of that server's HTTP monitor
 * @param command the command as typed by the user
 */
public record BenchOrder(
        BenchPlan plan,
        Path home,
        Path report,
        Optional<String> server,
        Optional<String> monitor,
        String command,
        StopSignal stop) {}
