package io.belfry.benchkit.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.run.Programs.Told;
import io.belfry.benchkit.stand.Faults;
import io.belfry.benchkit.stand.StandInServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both programs over real sockets against a server that is wrong in known ways: the figures must say how wrong. */
@Tag("slow")
class BenchProgramTest {
    @TempDir
    Path folder;

    private Programs programs;

    @BeforeEach
    void makePrograms() {
        programs = new Programs(folder);
    }

    @Test
    void aFaultlessServerGivesFaultlessFigures() throws Exception {
        for (String encoding : List.of("binary", "json")) {
            try (StandInServer server = new StandInServer(Faults.NONE)) {
                Told told = programs.subscribersAndPublishers(server, "Encoding=" + encoding);
                assertThat(told.lines())
                        .contains("Connected: 40 clients", "Latency percentile 99.99: ", "Verify: lost 0");
                assertThat(told.code()).as(told.lines()).isEqualTo(ExitCode.WELL);
                assertThat(told.count("messages") + told.count("endMarks"))
                        .isEqualTo(server.deliveries.get())
                        .isGreaterThan(1000);
                assertThat(told.count("endMarks")).isEqualTo(40);
                assertThat(told.report().get("latency.count")).isEqualTo(told.count("messages"));
                assertThat(told.count("lost")
                                + told.count("duplicated")
                                + told.count("reordered")
                                + told.count("beforeFirst"))
                        .isZero();
            }
        }
    }

    @Test
    void aDelayAtTheServerIsSeenAsLatency() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE.delaying(60))) {
            Told told = programs.subscribersAndPublishers(server);
            assertThat(told.report().get("latency.minMillis")).isBetween(59.0, 200.0);
            assertThat(told.report().get("latency.percentilesMillis.50")).isBetween(60.0, 400.0);
        }
    }

    @Test
    void whatTheServerDropsIsCountedAsLost() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE.dropping(10))) {
            Told told = programs.subscribersAndPublishers(server);
            assertThat(told.code()).isEqualTo(ExitCode.FAILED);
            // To the last one: a loss with nothing after it shows by the end mark, and its own loss by the others'.
            assertThat(told.count("lost") + told.count("endMarksMissing"))
                    .isEqualTo(server.dropped.get())
                    .isPositive();
            assertThat(told.count("positionsMissing")).isEqualTo(told.count("lost"));
            assertThat(told.lines())
                    .containsPattern("Lost: /p/s\\d/-, publisher \\d+, numbers? \\d+.*, at client \\d+")
                    .containsPattern("By subject and publisher: /p/s\\d/-, publisher \\d+: lost [1-9]");
            assertThat(told.count("duplicated") + told.count("reordered")).isZero();
        }
    }

    @Test
    void whatTheServerRepeatsIsCountedAsDuplicated() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE.repeating(7))) {
            Told told = programs.subscribersAndPublishers(server);
            assertThat(told.code()).isEqualTo(ExitCode.FAILED);
            assertThat(told.count("duplicated"))
                    .isEqualTo(server.repeated.get())
                    .isPositive();
            assertThat(told.count("positionsRepeated")).isEqualTo(told.count("duplicated"));
            assertThat(told.count("lost")).isZero();
        }
    }

    @Test
    void whatTheServerSwapsIsCountedAsReordered() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE.swapping(9))) {
            Told told = programs.subscribersAndPublishers(server);
            assertThat(told.code()).isEqualTo(ExitCode.FAILED);
            assertThat(told.count("reordered")).isBetween(server.swapped.get() - 40.0, (double) server.swapped.get());
            assertThat(told.count("reordered")).isPositive();
            assertThat(told.count("duplicated")).isZero();
        }
    }

    @Test
    void aConnectionTheServerClosesIsToldAndFailsTheRun() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE.closingAfter(20))) {
            Told told = programs.subscribersAndPublishers(server);
            assertThat(told.code()).isEqualTo(ExitCode.FAILED);
            assertThat(told.count("disconnections")).isEqualTo(40);
            assertThat(told.lines()).contains("40 times: connection ended: the server closed the connection: 1001");
        }
    }

    @Test
    void aPublisherTellsOfAcknowledgementsAndOfThoseThatMiss() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE)) {
            Told told = programs.benchpub(server, "Acknowledged=true", "Duration=1s", "Frequency=2000", "Publishers=3");
            assertThat(told.code()).as(told.lines()).isEqualTo(ExitCode.WELL);
            assertThat(told.count("acknowledged")).isEqualTo(told.count("published"));
            assertThat(told.count("published") + told.count("endMarks")).isEqualTo(server.published.get());
            assertThat(told.count("published")).isBetween(1500.0, 2500.0);
            assertThat(told.report().get("latency.count")).isEqualTo(told.count("acknowledged"));
            assertThat(told.report().get("lag.count")).isEqualTo(told.count("published"));
        }
    }

    @Test
    void aWrongTokenEndsTheRunWithOneLine() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE, "secret")) {
            Told told = programs.benchpub(server, "EntitlementToken=wrong");
            assertThat(told.code()).isEqualTo(ExitCode.FAILED);
            assertThat(told.lines())
                    .contains("[ERROR] the server answered \"HTTP/1.1 401 Unauthorized\"", "the token is not accepted")
                    .contains("Summary of")
                    .doesNotContain("wrong");
            assertThat(programs.benchpub(server, "EntitlementToken=secret", "Duration=1s")
                            .code())
                    .isEqualTo(ExitCode.WELL);
        }
    }

    @Test
    void aDeadServerEndsTheRunWithOneLine() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Told told = programs.run("sub", new StopSignal(), List.of("ServerAddresses=127.0.0.1:" + port));
        assertThat(told.code()).isEqualTo(ExitCode.FAILED);
        assertThat(told.lines()).contains("nobody listens on 127.0.0.1:" + port + ": is the server running?");
    }

    @Test
    void namedSourcePortsAreUsedAndTakenOnesSkipped() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE);
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.77"))) {
            int port = taken.getLocalPort();
            String ports = "LocalPorts=" + (port - 2) + "-" + (port + 2);
            Told few = programs.run(
                    "sub",
                    Programs.stopping(2000),
                    List.of(Programs.to(server), "Clients=4", "LocalAddresses=127.0.0.77", ports));
            assertThat(few.lines()).contains("Connected: 4 clients");
            assertThat(few.code()).as(few.lines()).isEqualTo(ExitCode.WELL);
            Told many = programs.run(
                    "sub",
                    Programs.stopping(5000),
                    List.of(Programs.to(server), "Clients=6", "LocalAddresses=127.0.0.78", ports));
            assertThat(many.lines()).contains("all pairs of LocalAddresses and LocalPorts are used up");
            assertThat(many.code()).isEqualTo(ExitCode.FAILED);
        }
    }

    @Test
    void theHistogramLogHoldsEveryMessage() throws Exception {
        Path log = folder.resolve("out.hlog");
        try (StandInServer server = new StandInServer(Faults.NONE)) {
            Told told = programs.subscribersAndPublishers(server, "HistogramLog=" + log);
            long messages = 0;
            long connects = 0;
            try (HistogramLogReader reader = new HistogramLogReader(log.toFile())) {
                while (reader.hasNext()) {
                    var histogram = (Histogram) reader.nextIntervalHistogram();
                    boolean tagged = histogram != null && HistogramLogFile.CONNECT.equals(histogram.getTag());
                    long count = histogram == null ? 0 : histogram.getTotalCount();
                    connects += tagged ? count : 0;
                    messages += tagged ? 0 : count;
                }
            }
            assertThat((double) messages).isEqualTo(told.count("messages"));
            assertThat((double) connects).isEqualTo(told.count("connects"));
        }
    }

    @Test
    void warmUpIsCountedApart() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE)) {
            Told told =
                    programs.benchpub(server, "WarmUpTime=1s", "Duration=1s", "Frequency=1000", "Acknowledged=true");
            // How long a phase lasts on a busy machine is not what this is about.
            assertThat(told.count("warmUpPublished")).isGreaterThan(700);
            assertThat(told.count("published")).isGreaterThan(700);
            assertThat(told.count("acknowledged")).isEqualTo(told.count("warmUpPublished") + told.count("published"));
            assertThat(told.code()).as(told.lines()).isEqualTo(ExitCode.WELL);
        }
    }

    @Test
    void whatIsWrittenWrongIsRefused() throws Exception {
        assertThat(usage("Client=5")).contains("unknown key; the nearest one is Clients");
        assertThat(usage("HoldTime=soon")).contains("HoldTime");
        assertThat(usage("HoldTime=1 s +-300 %")).contains("HoldTime", "at most 100 %");
        assertThat(usage("RampDown=3 s")).contains("RampDown", "goes with HoldTime");
        assertThat(usage("StallTime=5 s")).contains("StallTime", "goes with StalledReaders");
        assertThat(usage("StalledReaders=7")).contains("StalledReaders", "0 % to 100 %");
        assertThat(usage("TrustAny=true")).contains("TrustAny", "goes with Encrypted = true");
        assertThat(usage("LocalAddresses=203.0.113.9")).contains("203.0.113.9 is not an address of this machine");
        assertThat(usage("Subjects=s1")).contains("Subjects", "begins with '/'");
    }

    private String usage(String setting) throws Exception {
        Told told = programs.run("sub", new StopSignal(), List.of(setting));
        assertThat(told.code()).as(told.lines()).isEqualTo(ExitCode.WRONG_USAGE);
        return told.lines();
    }
}
