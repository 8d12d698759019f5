package io.belfry.bench.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.bench.report.Run;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private static Look look(long atMillis, double cpuSeconds, long uptimeMillis, long messagesOut)
            throws JsonProcessingException {
        String stats = "{\"uptimeMillis\":" + uptimeMillis + ",\"connectedSessions\":5,\"counters\":{\"messagesOut\":"
                + messagesOut
                + "},\"heapBytes\":{\"used\":7},\"workgroups\":[{\"loopLagMicros\":{\"p99\":900,\"max\":1500}},"
                + "{\"loopLagMicros\":{\"p99\":100,\"max\":2500}}]}";
        return new Look(
                atMillis,
                Optional.of(new Kernel.ProcessUse(cpuSeconds, 4096)),
                List.of(OptionalDouble.of(cpuSeconds / 2)),
                OptionalDouble.of(cpuSeconds * 2),
                OptionalLong.of(0),
                Optional.of(new ObjectMapper().readTree(stats)));
    }

    @Test
    void cpuWithinASpanIsReckonedBetweenLooks() throws JsonProcessingException {
        Timeline timeline = new Timeline(List.of(look(0, 1, 0, 0), look(1000, 2, 1000, 0), look(2000, 4, 2000, 0)));
        assertThat(timeline.growth(Timeline::serverCpu, 500, 1500)).hasValue(1.5);
        assertThat(timeline.growth(Timeline::serverCpu, -500, 1500)).isEmpty();
    }

    @Test
    void ratesOfTheServerGoByItsOwnClock() throws JsonProcessingException {
        Timeline timeline =
                new Timeline(List.of(look(0, 0, 1000, 0), look(1000, 0, 1900, 900), look(2000, 0, 3000, 2000)));
        assertThat(timeline.serverRate("messagesOut", 0, 2000)).hasValue(1000);
    }

    @Test
    void whatAServerSentBeforeTheRunIsNotCounted() throws JsonProcessingException {
        Timeline timeline = new Timeline(List.of(look(0, 0, 900_000, 5000), look(1000, 0, 901_000, 5400)));
        assertThat(timeline.serverGrowth("messagesOut")).hasValue(400);
        assertThat(timeline.serverGrowth("unknown")).isEmpty();
    }

    @Test
    void aSampleTellsOfTheSlowestLane() throws JsonProcessingException {
        Run.Sample sample = new Timeline(List.of(look(0, 0, 0, 0), look(1000, 0.5, 1000, 10)))
                .samples(500)
                .getFirst();
        assertThat(sample.second()).isEqualTo(0.5);
        assertThat(sample.loopLagP99Millis()).isEqualTo(0.9);
        assertThat(sample.loopLagMaxMillis()).isEqualTo(2.5);
        assertThat(sample.serverCores()).isEqualTo(0.5);
        assertThat(sample.deliveredPerSecond()).isEqualTo(10);
    }
}
