package io.belfry.benchkit.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.measure.SharedClock;
import io.belfry.benchkit.run.Programs.Output;
import io.belfry.benchkit.stand.StandInFaults;
import io.belfry.benchkit.stand.StandInServer;
import io.belfry.settings.ExitCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that churn, stall, or have a wrong clock, over real sockets. */
@Tag("slow")
class ClientsOfAllKindsTest {
    private static final long SKEW_MILLIS = 250;
    private static final double CONNECTING_AT_END_MAX = 5;

    @TempDir
    Path folder;

    @Test
    void churningClientsAreCountedByPhase() {
        try (StandInServer server = new StandInServer(StandInFaults.NONE)) {
            Output output = new Programs(folder)
                    .run(
                            "sub",
                            new StopSignal(),
                            List.of(
                                    Programs.to(server),
                                    "Clients=50",
                                    "HoldTime=200 ms +-10 %",
                                    "RampUp=1 s",
                                    "Duration=2 s",
                                    "RampDown=1 s",
                                    "ReportFile=" + folder.resolve("sub.json")));
            assertThat(output.code()).as(output.lines()).isEqualTo(ExitCode.WELL);
            assertThat(output.figure("phases.sustain.connectsPerSecond")).isBetween(150.0, 260.0);
            assertThat(output.figure("connect.count")).isEqualTo(output.figure("phases.sustain.connect.count"));
            assertThat(output.figure("phases.rampUp.connect.count")).isBetween(50.0, 200.0);
            assertThat(output.figure("phases.rampDown.connect.count")).isBetween(20.0, 200.0);
            assertThat(output.figure("standing")).isLessThan(15);
            // The server counts one connection of the clock, and clients that are still connecting when the run ends.
            assertThat(server.connections.get() - 1.0 - output.count("connects"))
                    .isBetween(0.0, CONNECTING_AT_END_MAX);
            assertThat(output.count("disconnections")).isZero();
            assertThat(output.lines()).contains("Connect latency percentile 99.9", "connections/sec");
        }
    }

    @Test
    void stalledReadersAreCountedSeparatelyAndOthersLoseNothing() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE)) {
            Output output = new Programs(folder).subscribersAndPublishers(server, "StalledReaders=10 %");
            assertThat(output.code()).as(output.lines()).isEqualTo(ExitCode.WELL);
            assertThat(output.count("stalled")).isEqualTo(4);
            assertThat(output.count("stalledDisconnected")).isZero();
            assertThat(output.count("lost") + output.count("endMarksMissing")).isZero();
            assertThat(output.count("endMarks")).isEqualTo(36);
            assertThat(output.count("stalledMessages")).as("reading at the end").isPositive();
            assertThat(output.count("stalledSkipped") + output.count("stalledBehind"))
                    .isZero();
        }
    }

    @Test
    void stalledReadersThatResumeMissNothing() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE)) {
            Output output =
                    new Programs(folder).subscribersAndPublishers(server, "StalledReaders=10 %", "StallTime=150 ms");
            assertThat(output.code()).as(output.lines()).isEqualTo(ExitCode.WELL);
            assertThat(output.count("stalledMessages")).isPositive();
            assertThat(output.count("stalledSkipped") + output.count("stalledRepeated") + output.count("stalledBehind"))
                    .isZero();
        }
    }

    @Test
    void unannouncedLossesOfStalledReadersFailTheRun() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE.dropping(20))) {
            Output output = new Programs(folder).subscribersAndPublishers(server, "StalledReaders=100 %");
            assertThat(output.code()).isEqualTo(ExitCode.FAILED);
            assertThat(output.count("stalledSkipped")).isPositive();
            assertThat(output.count("stalledDropped")).isZero();
        }
    }

    @Test
    void aWrongClockIsReportedAndCorrectedOnRequest() throws Exception {
        for (boolean correct : new boolean[] {false, true}) {
            try (StandInServer server = new StandInServer(StandInFaults.NONE)) {
                Programs programs = new Programs(folder);
                SharedClock clock = SharedClock.start();
                programs.publisherClock =
                        new SharedClock(() -> clock.nanos().getAsLong() + SKEW_MILLIS * 1_000_000, 4711);
                Output output = programs.subscribersAndPublishers(server, "CorrectClocks=" + correct);
                assertThat(output.lines())
                        .containsPattern("Clock offset publisher - subscriber: 2[45]\\d,\\d{3} us \\+- [\\d,]+ us, "
                                + (correct ? "latencies are corrected" : "not corrected"));
                double offset = output.figure("publisherClocks.0.offsetMicros");
                double uncertainty = output.figure("publisherClocks.0.uncertaintyMicros");
                assertThat(Math.abs(offset - SKEW_MILLIS * 1000)).isLessThanOrEqualTo(uncertainty);
                if (correct) {
                    assertThat(output.figure("latency.percentilesMillis.50")).isBetween(0.01, 100.0);
                    assertThat(output.figure("latency.belowZero")).isLessThan(output.figure("latency.count") / 2);
                } else {
                    assertThat(output.figure("latency.belowZero")).isGreaterThan(output.figure("latency.count") / 2);
                }
            }
        }
    }

    @Test
    void twoProcessesOfOneMachineReadTheSameClock() throws Exception {
        try (StandInServer server = new StandInServer(StandInFaults.NONE)) {
            Output output = new Programs(folder).subscribersAndPublishers(server, "CorrectClocks=true");
            assertThat(output.lines()).contains("us, both read the clock of one machine");
            assertThat(output.figure("publisherClocks.0.publishers")).isEqualTo(4);
        }
    }
}
