package io.belfry.benchkit.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.run.Programs.Told;
import io.belfry.benchkit.stand.Faults;
import io.belfry.benchkit.stand.StandInServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ends a run before its time: one line says why, the exit code is 1, and the figures so far are written. */
@Tag("slow")
class FailuresTest {
    @TempDir
    Path folder;

    @Test
    void aDeadServer() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        for (String program : List.of("sub", "pub")) {
            fails(program, "nobody listens on 127.0.0.1:" + port, List.of("ServerAddresses=127.0.0.1:" + port));
        }
    }

    @Test
    void aRefusedToken() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE, "secret")) {
            for (String program : List.of("sub", "pub")) {
                Told told = fails(
                        program,
                        "the token is not accepted",
                        List.of(Programs.to(server), "EntitlementToken=mistaken"));
                assertThat(told.lines()).doesNotContain("mistaken");
            }
        }
    }

    @Test
    void anAddressInUse() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE);
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
    void aFullPortRange() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE);
                ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.84"))) {
            int first = free.getLocalPort() + 1;
            Told told = fails(
                    "sub",
                    "all pairs of LocalAddresses and LocalPorts are used up: add addresses",
                    List.of(
                            Programs.to(server),
                            "Clients=9",
                            "LocalAddresses=127.0.0.85",
                            "LocalPorts=" + first + "-" + (first + 3)));
            assertThat(told.figure("ready")).isLessThan(9);
        }
    }

    private Told fails(String program, String line, List<String> sets) throws Exception {
        Path report = folder.resolve(program + ".json");
        Path log = folder.resolve(program + ".hlog");
        Files.deleteIfExists(report);
        List<String> all = new ArrayList<>(sets);
        all.addAll(List.of("ReportFile=" + report, "HistogramLog=" + log));
        Told told = new Programs(folder).run(program, new StopSignal(), all);
        assertThat(told.code()).isEqualTo(ExitCode.FAILED);
        assertThat(told.lines().lines().filter(l -> l.contains("[ERROR]")))
                .as(told.lines())
                .singleElement()
                .asString()
                .contains(line);
        assertThat(told.lines()).contains("Summary of");
        assertThat(told.figure("exitCode")).isEqualTo(ExitCode.FAILED);
        assertThat(Files.readString(report)).contains("problems");
        assertThat(Files.readString(log)).contains("[Histogram log format version");
        return told;
    }
}
