package io.belfry.plan;

import io.belfry.plan.coefficient.Coefficients;
import io.belfry.plan.coefficient.CoefficientsFile;
import io.belfry.plan.input.Amounts;
import io.belfry.plan.input.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a node is and what things cost on it, as both commands are told it. Owner: the command line. */
final class MachineOptions {
    private static final double UNKNOWN_BITS_PER_SECOND = 1e9;

    @Option(names = "--cores", paramLabel = "N", description = "processors of a node (default: this machine's)")
    private @Nullable String cores;

    @Option(names = "--memory", paramLabel = "SIZE", description = "of a node (default: this machine's)")
    private @Nullable String memory;

    @Option(
            names = "--network",
            paramLabel = "GBIT",
            description = "a second, each way (default: this machine's if it says, else 1Gbit)")
    private @Nullable String network;

    @Option(
            names = "--open-files",
            paramLabel = "N",
            description = "a process may have (default: 1048576, as tuning/ sets)")
    private String openFiles = "1048576";

    @Option(
            names = "--busy",
            paramLabel = "SHARE",
            description = "of processors and network that ordinary work may take (default: 60%%)")
    private String busy = "60%";

    @Option(
            names = "--peak",
            paramLabel = "SHARE",
            description = "of the processors while clients of a failed node come (default: 90%%)")
    private String peak = "90%";

    @Option(
            names = "--memory-share",
            paramLabel = "SHARE",
            description = "of the memory for the server and its sockets (default: 85%%)")
    private String memoryShare = "85%";

    @Option(
            names = "--connect-rate",
            paramLabel = "N",
            description = "the most that Limit.ConnectRate may be set to (default: 200000, the server's)")
    private String connectRate = "200000";

    @Option(names = "--coefficients", paramLabel = "FILE", description = "figures of your own machine")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "one figure, such as cpu-delivery=6.5; may be repeated")
    private List<String> settings = new ArrayList<>();

    Machine machine() {
        return new Machine(
                (double) (cores == null ? ThisMachine.cores() : Amounts.count("--cores", cores)),
                memory == null ? ThisMachine.memoryBytes() : Amounts.bytes("--memory", memory),
                network == null
                        ? ThisMachine.bitsPerSecond().orElse(UNKNOWN_BITS_PER_SECOND)
                        : Amounts.bitsPerSecond("--network", network),
                Amounts.count("--open-files", openFiles),
                Amounts.share("--busy", busy),
                Amounts.share("--peak", peak),
                Amounts.share("--memory-share", memoryShare),
                (double) Amounts.count("--connect-rate", connectRate));
    }

    Coefficients coefficients() throws IOException {
        return (file == null ? CoefficientsFile.ours() : CoefficientsFile.read(file)).with(settings);
    }
}
