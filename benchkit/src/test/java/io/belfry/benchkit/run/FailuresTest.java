package io.belfry.benchkit.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.run.Programs.Output;
import io.belfry.benchkit.stand.StandInFaults;
import io.belfry.benchkit.stand.StandInServer;
import io.belfry.settings.ExitCode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that fails early prints one line with the reason, exits with code 1 and writes its figures. */
@Tag("slow")
class FailuresTest {
    @TempDir
    Path folder;

    @Test
    void anUnreachableServerEndsTheRun() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        for (String program : List.of("sub", "pub")) {
            fails(program, "connection refused by 127.0.0.1:" + port, List.of("ServerAddresses=127.0.0.1:" + port));
        }
    }

    @Test
    void aRejectedTokenEndsTheRun() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE, "secret")) {
            for (String program : List.of("sub", "pub")) {
                Output output = fails(
                        program,
                        "the token is not accepted",
                        List.of(Programs.to(server), "EntitlementToken=mistaken"));
                assertThat(output.lines()).doesNotContain("mistaken");
            }
        }
    }

    @Test
    void aSourceAddressInUseEndsTheRun() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE);
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.83"))) {
            int port = taken.getLocalPort();
            fails(
                    "sub",
                    "address in use: 1 of the pairs of LocalAddresses and LocalPorts",
                    List.of(
                            Programs.to(server),
                            "Clients=1",
                            "LocalAddresses=127.0.0.83",
                            "LocalPorts=" + port + "-" + port));
        }
    }

    @Test
    void aSourcePortRangeThatIsTooSmallEndsTheRun() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE);
                ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.84"))) {
            int first = free.getLocalPort() + 1;
            Output output = fails(
                    "sub",
                    "all pairs of LocalAddresses and LocalPorts are in use: add addresses",
                    List.of(
                            Programs.to(server),
                            "Clients=9",
                            "LocalAddresses=127.0.0.85",
                            "LocalPorts=" + first + "-" + (first + 3)));
            assertThat(output.figure("ready")).isLessThan(9);
        }
    }

    private Output fails(String program, String line, List<String> sets) throws Exception {
        Path report = folder.resolve(program + ".json");
        Path log = folder.resolve(program + ".hlog");
        Files.deleteIfExists(report);
        List<String> all = new ArrayList<>(sets);
        all.addAll(List.of("ReportFile=" + report, "HistogramLog=" + log));
        Output output = new Programs(folder).run(program, new StopSignal(), all);
        assertThat(output.code()).isEqualTo(ExitCode.FAILED);
        assertThat(output.lines().lines().filter(l -> l.contains("[ERROR]")))
                .as(output.lines())
                .singleElement()
                .asString()
                .contains(line);
        assertThat(output.lines()).contains("Summary of");
        assertThat(output.figure("exitCode")).isEqualTo(ExitCode.FAILED);
        assertThat(Files.readString(report)).contains("problems");
        assertThat(Files.readString(log)).contains("[Histogram log format version");
        return output;
    }
}
