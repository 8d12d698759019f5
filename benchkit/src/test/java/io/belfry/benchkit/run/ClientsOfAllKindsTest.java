package io.belfry.benchkit.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.measure.SharedClock;
import io.belfry.benchkit.run.Programs.Told;
import io.belfry.benchkit.stand.Faults;
import io.belfry.benchkit.stand.StandInServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that come and go, that stall, and whose clocks are wrong; over real sockets. */
@Tag("slow")
class ClientsOfAllKindsTest {
    private static final long SKEW_MILLIS = 250;

    @TempDir
    Path folder;

    @Test
    void clientsThatComeAndGoAreCountedByPhase() {
        try (StandInServer server = new StandInServer(Faults.NONE)) {
            Told told = new Programs(folder)
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
            assertThat(told.code()).as(told.lines()).isEqualTo(ExitCode.WELL);
            assertThat(told.figure("phases.sustain.connectsPerSecond")).isBetween(150.0, 260.0);
            assertThat(told.figure("connect.count")).isEqualTo(told.figure("phases.sustain.connect.count"));
            assertThat(told.figure("phases.rampUp.connect.count")).isBetween(50.0, 200.0);
            assertThat(told.figure("phases.rampDown.connect.count")).isBetween(20.0, 200.0);
            assertThat(told.figure("standing")).isLessThan(15);
            assertThat(told.count("connects")).isEqualTo(server.connections.get() - 1.0);
            assertThat(told.count("disconnections")).isZero();
            assertThat(told.lines()).contains("Connect latency percentile 99.9", "connections/sec");
        }
    }

    @Test
    void stalledReadersAreCountedApartAndNobodyElseLoses() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE)) {
            Told told = new Programs(folder).subscribersAndPublishers(server, "StalledReaders=10 %");
            assertThat(told.code()).as(told.lines()).isEqualTo(ExitCode.WELL);
            assertThat(told.count("stalled")).isEqualTo(4);
            assertThat(told.count("stalledDisconnected")).isZero();
            assertThat(told.count("lost") + told.count("endMarksMissing")).isZero();
            assertThat(told.count("endMarks")).isEqualTo(36);
            assertThat(told.count("stalledMessages")).as("read on at the end").isPositive();
            assertThat(told.count("stalledSkipped") + told.count("stalledBehind"))
                    .isZero();
        }
    }

    @Test
    void stalledReadersThatReadOnMissNothing() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE)) {
            Told told =
                    new Programs(folder).subscribersAndPublishers(server, "StalledReaders=10 %", "StallTime=150 ms");
            assertThat(told.code()).as(told.lines()).isEqualTo(ExitCode.WELL);
            assertThat(told.count("stalledMessages")).isPositive();
            assertThat(told.count("stalledSkipped") + told.count("stalledRepeated") + told.count("stalledBehind"))
                    .isZero();
        }
    }

    @Test
    void whatStalledReadersMissWithoutAWordIsAFailure() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE.dropping(20))) {
            Told told = new Programs(folder).subscribersAndPublishers(server, "StalledReaders=100 %");
            assertThat(told.code()).isEqualTo(ExitCode.FAILED);
            assertThat(told.count("stalledSkipped")).isPositive();
            assertThat(told.count("stalledDropped")).isZero();
        }
    }

    @Test
    void aClockThatIsWrongIsToldAndCorrectedWhenAsked() throws Exception {
        for (boolean correct : new boolean[] {false, true}) {
            try (StandInServer server = new StandInServer(Faults.NONE)) {
                Programs programs = new Programs(folder);
                SharedClock clock = SharedClock.start();
                programs.publishersHere = new Here(() -> clock.getAsLong() + SKEW_MILLIS * 1_000_000, 4711);
                Told told = programs.subscribersAndPublishers(server, "CorrectClocks=" + correct);
                assertThat(told.lines())
                        .containsPattern("Clock offset publisher - subscriber: 2[45]\\d,\\d{3} us \\+- [\\d,]+ us, "
                                + (correct ? "latencies are corrected" : "not corrected"));
                double offset = told.figure("publisherClocks.0.offsetMicros");
                double uncertainty = told.figure("publisherClocks.0.uncertaintyMicros");
                assertThat(Math.abs(offset - SKEW_MILLIS * 1000)).isLessThanOrEqualTo(uncertainty);
                if (correct) {
                    assertThat(told.figure("latency.percentilesMillis.50")).isBetween(0.01, 100.0);
                    assertThat(told.figure("latency.belowZero")).isLessThan(told.figure("latency.count") / 2);
                } else {
                    assertThat(told.figure("latency.belowZero")).isGreaterThan(told.figure("latency.count") / 2);
                }
            }
        }
    }

    @Test
    void twoProcessesOfOneMachineReadOneClock() throws Exception {
        try (StandInServer server = new StandInServer(Faults.NONE)) {
            Told told = new Programs(folder).subscribersAndPublishers(server, "CorrectClocks=true");
            assertThat(told.lines()).contains("us, both read the clock of one machine");
            assertThat(told.figure("publisherClocks.0.publishers")).isEqualTo(4);
        }
    }
}
