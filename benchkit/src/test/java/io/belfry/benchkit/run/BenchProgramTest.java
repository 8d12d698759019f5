package io.belfry.benchkit.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.run.Programs.Output;
import io.belfry.benchkit.run.Recorder.HistogramLogFile;
import io.belfry.benchkit.stand.StandInFaults;
import io.belfry.benchkit.stand.StandInServer;
import io.belfry.settings.ExitCode;
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

/** Runs both programs against a server with known faults; the figures must match the faults. */
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
    void aFaultlessServerGivesFiguresWithoutFaults() throws Exception {
        for (String encoding : List.of("binary", "json")) {
            try (StandInServer server = new StandInServer(StandInFaults.NONE)) {
                Output output = programs.subscribersAndPublishers(server, "Encoding=" + encoding);
                assertThat(output.lines())
                        .contains("Connected: 40 clients", "Latency percentile 99.99: ", "Verify: lost 0");
                assertThat(output.code()).as(output.lines()).isEqualTo(ExitCode.WELL);
                assertThat(output.count("messages") + output.count("endMarks"))
                        .isEqualTo(server.deliveries.get())
                        .isGreaterThan(1000);
                assertThat(output.count("endMarks")).isEqualTo(40);
                assertThat(output.report().get("latency.count")).isEqualTo(output.count("messages"));
                assertThat(output.count("lost")
                                + output.count("duplicated")
                                + output.count("reordered")
                                + output.count("beforeFirst"))
                        .isZero();
            }
        }
    }

    @Test
    void aDelayAtTheServerIsMeasuredAsLatency() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE.delaying(60))) {
            Output output = programs.subscribersAndPublishers(server);
            assertThat(output.report().get("latency.minMillis")).isBetween(59.0, 200.0);
            assertThat(output.report().get("latency.percentilesMillis.50")).isBetween(60.0, 400.0);
        }
    }

    @Test
    void droppedMessagesAreCountedAsLost() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE.dropping(10))) {
            Output output = programs.subscribersAndPublishers(server);
            assertThat(output.code()).isEqualTo(ExitCode.FAILED);
            // Complete: an end mark detects a loss at the end, and the publisher's other end marks detect a lost one.
            assertThat(output.count("lost") + output.count("endMarksMissing"))
                    .isEqualTo(server.dropped.get())
                    .isPositive();
            assertThat(output.count("positionsMissing")).isEqualTo(output.count("lost"));
            assertThat(output.lines())
                    .containsPattern("Lost: /p/s\\d/-, publisher \\d+, numbers? \\d+.*, at client \\d+")
                    .containsPattern("By subject and publisher: /p/s\\d/-, publisher \\d+: lost [1-9]");
            assertThat(output.count("duplicated") + output.count("reordered")).isZero();
        }
    }

    @Test
    void repeatedMessagesAreCountedAsDuplicated() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE.repeating(7))) {
            Output output = programs.subscribersAndPublishers(server);
            assertThat(output.code()).isEqualTo(ExitCode.FAILED);
            assertThat(output.count("duplicated"))
                    .isEqualTo(server.repeated.get())
                    .isPositive();
            assertThat(output.count("positionsRepeated")).isEqualTo(output.count("duplicated"));
            assertThat(output.count("lost")).isZero();
        }
    }

    @Test
    void swappedMessagesAreCountedAsReordered() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE.swapping(9))) {
            Output output = programs.subscribersAndPublishers(server);
            assertThat(output.code()).isEqualTo(ExitCode.FAILED);
            assertThat(output.count("reordered")).isBetween(server.swapped.get() - 40.0, (double) server.swapped.get());
            assertThat(output.count("reordered")).isPositive();
            assertThat(output.count("duplicated")).isZero();
        }
    }

    @Test
    void aConnectionClosedByTheServerFailsTheRun() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE.closingAfter(20))) {
            Output output = programs.subscribersAndPublishers(server);
            assertThat(output.code()).isEqualTo(ExitCode.FAILED);
            assertThat(output.count("disconnections")).isEqualTo(40);
            assertThat(output.lines()).contains("40 times: connection ended: the server closed the connection: 1001");
        }
    }

    @Test
    void aPublisherCountsAcknowledgements() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE)) {
            Output output =
                    programs.benchpub(server, "Acknowledged=true", "Duration=1s", "Frequency=2000", "Publishers=3");
            assertThat(output.code()).as(output.lines()).isEqualTo(ExitCode.WELL);
            assertThat(output.count("acknowledged")).isEqualTo(output.count("published"));
            assertThat(output.count("published") + output.count("endMarks")).isEqualTo(server.published.get());
            assertThat(output.count("published")).isBetween(1500.0, 2500.0);
            assertThat(output.report().get("latency.count")).isEqualTo(output.count("acknowledged"));
            assertThat(output.report().get("lag.count")).isEqualTo(output.count("published"));
        }
    }

    @Test
    void aWrongTokenEndsTheRunWithOneLine() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE, "secret")) {
            Output output = programs.benchpub(server, "EntitlementToken=wrong");
            assertThat(output.code()).isEqualTo(ExitCode.FAILED);
            assertThat(output.lines())
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
        Output output = programs.run("sub", new StopSignal(), List.of("ServerAddresses=127.0.0.1:" + port));
        assertThat(output.code()).isEqualTo(ExitCode.FAILED);
        assertThat(output.lines()).contains("connection refused by 127.0.0.1:" + port + ": is the server running?");
    }

    @Test
    void configuredSourcePortsAreUsedAndTakenOnesSkipped() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE);
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.77"))) {
            int port = taken.getLocalPort();
            String ports = "LocalPorts=" + (port - 2) + "-" + (port + 2);
            Output few = programs.run(
                    "sub",
                    Programs.stopping(2000),
                    List.of(Programs.to(server), "Clients=4", "LocalAddresses=127.0.0.77", ports));
            assertThat(few.lines()).contains("Connected: 4 clients");
            assertThat(few.code()).as(few.lines()).isEqualTo(ExitCode.WELL);
            Output many = programs.run(
                    "sub",
                    Programs.stopping(5000),
                    List.of(Programs.to(server), "Clients=6", "LocalAddresses=127.0.0.78", ports));
            assertThat(many.lines()).contains("all pairs of LocalAddresses and LocalPorts are in use");
            assertThat(many.code()).isEqualTo(ExitCode.FAILED);
        }
    }

    @Test
    void theHistogramLogHasEveryMessage() throws Exception {
        Path log = folder.resolve("out.hlog");
        try (StandInServer server = new StandInServer(StandInFaults.NONE)) {
            Output output = programs.subscribersAndPublishers(server, "HistogramLog=" + log);
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
            assertThat((double) messages).isEqualTo(output.count("messages"));
            assertThat((double) connects).isEqualTo(output.count("connects"));
        }
    }

    @Test
    void theWarmUpIsCountedSeparately() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE)) {
            Output output =
                    programs.benchpub(server, "WarmUpTime=1s", "Duration=1s", "Frequency=1000", "Acknowledged=true");
            // Wide bounds: on a busy machine a phase may be shorter.
            assertThat(output.count("warmUpPublished")).isGreaterThan(700);
            assertThat(output.count("published")).isGreaterThan(700);
            assertThat(output.count("acknowledged"))
                    .isEqualTo(output.count("warmUpPublished") + output.count("published"));
            assertThat(output.code()).as(output.lines()).isEqualTo(ExitCode.WELL);
        }
    }

    @Test
    void wrongSettingsAreRejected() throws Exception {
        assertThat(usage("Client=5")).contains("unknown key; the most similar key is Clients");
        assertThat(usage("HoldTime=soon")).contains("HoldTime");
        assertThat(usage("HoldTime=1 s +-300 %")).contains("HoldTime", "at most 100 %");
        assertThat(usage("RampDown=3 s")).contains("RampDown", "requires HoldTime");
        assertThat(usage("StallTime=5 s")).contains("StallTime", "requires StalledReaders");
        assertThat(usage("StalledReaders=7")).contains("StalledReaders", "0 % to 100 %");
        assertThat(usage("TrustAny=true")).contains("TrustAny", "requires Encrypted = true");
        assertThat(usage("LocalAddresses=203.0.113.9")).contains("203.0.113.9 is not an address of this machine");
        assertThat(usage("Subjects=s1")).contains("Subjects", "must begin with '/'");
    }

    private String usage(String setting) throws Exception {
        Output output = programs.run("sub", new StopSignal(), List.of(setting));
        assertThat(output.code()).as(output.lines()).isEqualTo(ExitCode.WRONG_USAGE);
        return output.lines();
    }
}
