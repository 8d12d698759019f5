package io.belfry.server.doctor;

import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.ServerConfig;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks the configuration against the host. Pure functions. */
public final class Doctor {
    private Doctor() {}

    /** Returns every problem, in a sensible order of fixing; empty if the host fits. */
    public static List<Finding> examine(ServerConfig config, Host host) {
        ExpectedLoad load = ExpectedLoad.of(config);
        return Stream.of(
                        OpenFileChecks.of(load, host),
                        MemoryChecks.of(load, host),
                        DiskChecks.of(config, host),
                        PortChecks.of(load, host),
                        KernelChecks.of(load, host),
                        JavaChecks.of(load, host))
                .flatMap(Function.identity())
                .toList();
    }

    /** Returns the problem that prevents any start here, or empty. */
    public static Optional<Finding> obstacle(ServerConfig config) {
        return config.history().kind() == HistoryConfig.Kind.DISK
                ? DiskChecks.unusable(FolderReader.read(config.history().folder()))
                : Optional.empty();
    }

    /** Returns the serious problems, one line each, for the log of a starting server. */
    public static List<String> warnings(ServerConfig config, Host host) {
        return examine(config, host).stream()
                .filter(finding -> finding.severity() == Finding.Severity.SERIOUS)
                .map(finding -> finding.what()
                        + finding.mend().stream().collect(Collectors.joining("; or: ", "; to fix it: ", "")))
                .toList();
    }
}
