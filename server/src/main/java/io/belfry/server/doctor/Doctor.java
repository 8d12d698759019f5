package io.belfry.server.doctor;

import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.ServerConfig;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Holds the configuration against the host. Pure. */
public final class Doctor {
    /** What is judged when Limit.Connections sets no limit: what anybody may expect without asking. */
    private static final int CONNECTIONS_UNLIMITED = 10_000;

    private Doctor() {}

    /** Every shortfall, in the order in which one would mend them; empty when the host fits. */
    public static List<Finding> examine(ServerConfig config, Host host) {
        Load load = Load.of(config);
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

    /** Why a server would not start here, whatever else it has. */
    public static Optional<Finding> obstacle(ServerConfig config) {
        return config.history().kind() == HistoryConfig.Kind.DISK
                ? DiskChecks.unusable(FolderReader.read(config.history().folder()))
                : Optional.empty();
    }

    /** The serious ones as one line each, for the log of a server that starts. */
    public static List<String> warnings(ServerConfig config, Host host) {
        return examine(config, host).stream()
                .filter(finding -> finding.severity() == Finding.Severity.SERIOUS)
                .map(finding ->
                        finding.what() + finding.mend().stream().collect(Collectors.joining("; or: ", "; mend: ", "")))
                .toList();
    }

    /** The configuration and the connections it makes the host answer for. */
    record Load(ServerConfig config, int connections, String reason) {
        static Load of(ServerConfig config) {
            int limit = config.limits().connections();
            return limit > 0
                    ? new Load(config, limit, "Limit.Connections = " + limit)
                    : new Load(
                            config,
                            CONNECTIONS_UNLIMITED,
                            CONNECTIONS_UNLIMITED + " connections (Limit.Connections sets no limit)");
        }
    }

    /** The number found, where it is known and less than needed. */
    static Optional<Long> below(OptionalLong found, long needed) {
        return found.stream().filter(value -> value < needed).boxed().findFirst();
    }
}
