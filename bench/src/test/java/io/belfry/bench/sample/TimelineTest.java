package io.belfry.bench.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.bench.report.Run;
import io.belfry.bench.sample.Timeline.ProcessSnapshot;
import io.belfry.benchkit.process.Kernel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private static ProcessSnapshot snapshot(long atMillis, double cpuSeconds, long uptimeMillis, long messagesOut)
            throws JsonProcessingException {
        String stats = "{\"uptimeMillis\":" + uptimeMillis + ",\"connectedSessions\":5,\"counters\":{\"messagesOut\":"
                + messagesOut
                + "},\"heapBytes\":{\"used\":7},\"gcPauses\":{\"count\":1,\"millis\":" + atMillis / 100
                + "},\"workgroups\":[{\"loopLagMicros\":{\"p99\":900,\"max\":1500}},"
                + "{\"loopLagMicros\":{\"p99\":100,\"max\":2500}}]}";
        return new ProcessSnapshot(
                atMillis,
                new Kernel.ProcessUse(cpuSeconds, 4096, cpuSeconds / 4),
                Map.of(7L, cpuSeconds / 2),
                new Kernel.MachineUse(cpuSeconds * 4, cpuSeconds * 2, Math.max(0, cpuSeconds - 1)),
                0L,
                new ObjectMapper().readTree(stats));
    }

    @Test
    void cpuWithinASpanIsInterpolatedBetweenSnapshots() throws JsonProcessingException {
        Timeline timeline =
                new Timeline(List.of(snapshot(0, 1, 0, 0), snapshot(1000, 2, 1000, 0), snapshot(2000, 4, 2000, 0)));
        assertThat(timeline.growth(ProcessSnapshot::serverCpuSeconds, new MeasuredTime(500, 1500)))
                .isEqualTo(1.5);
        assertThat(timeline.growth(ProcessSnapshot::serverCpuSeconds, new MeasuredTime(-500, 1500)))
                .isNull();
    }

    /** The host used a processor from the first second of the server on. */
    @Test
    void stealIsFoundInTheSecondsAroundAnInterval() throws JsonProcessingException {
        Timeline timeline =
                new Timeline(List.of(snapshot(0, 0.5, 0, 0), snapshot(1000, 1, 1000, 0), snapshot(2000, 2, 2000, 0)));
        assertThat(timeline.hasSteal(0, 1000)).isFalse();
        assertThat(timeline.hasSteal(900, 1100)).isTrue();
        assertThat(timeline.hasSteal(1000, 2000)).isTrue();
        assertThat(timeline.hasSteal(2000, 3000)).isFalse();
        assertThat(timeline.samples(0))
                .extracting(sample -> sample.figure("stolenCores"))
                .containsExactly(0.0, 1.0);
    }

    @Test
    void ratesOfTheServerUseItsOwnClock() throws JsonProcessingException {
        Timeline timeline = new Timeline(
                List.of(snapshot(0, 0, 1000, 0), snapshot(1000, 0, 1900, 900), snapshot(2000, 0, 3000, 2000)));
        assertThat(timeline.serverRate("messagesOut", new MeasuredTime(0, 2000)))
                .isEqualTo(1000.0);
    }

    @Test
    void messagesSentBeforeTheRunAreNotCounted() throws JsonProcessingException {
        Timeline timeline = new Timeline(List.of(snapshot(0, 0, 900_000, 5000), snapshot(1000, 0, 901_000, 5400)));
        assertThat(timeline.serverGrowth("messagesOut")).isEqualTo(400L);
        assertThat(timeline.serverGrowth("unknown")).isNull();
    }

    @Test
    void aSampleHasTheLagOfTheSlowestWorkgroup() throws JsonProcessingException {
        Run.Sample sample = new Timeline(List.of(snapshot(0, 0, 0, 0), snapshot(1000, 0.5, 1000, 10)))
                .samples(500)
                .getFirst();
        assertThat(sample.second()).isEqualTo(0.5);
        assertThat(sample.figure("loopLagP99Millis")).isEqualTo(0.9);
        assertThat(sample.figure("loopLagMaxMillis")).isEqualTo(2.5);
        assertThat(sample.figure("serverCores")).isEqualTo(0.5);
        assertThat(sample.figure("deliveredPerSecond")).isEqualTo(10);
        assertThat(sample.figure("serverWaitingCores")).isEqualTo(0.125);
        assertThat(sample.figure("gcPauseMillis")).isEqualTo(10);
    }
}
