package io.belfry.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class StalenessTest {
    private final Partitions partitions = new Partitions(2);
    private final Staleness staleness = new Staleness(2000, partitions, 0);

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Answers with the end offsets of both partitions. */
    private void answer(long millis, long first, long second) {
        staleness.onAnswer(new Staleness.Ends(nanos(millis), Map.of(0, first, 1, second)), nanos(millis));
    }

    private String judged(long millis) {
        return staleness.judge(nanos(millis)).orElse("well");
    }

    @Test
    void aNodeWithAShortLagIsWell() {
        answer(500, 10, 10);
        partitions.read(0, 9);
        partitions.read(1, 10);
        assertThat(judged(500)).isEqualTo("well");
        assertThat(staleness.lag()).isEqualTo(1);
        partitions.read(0, 10);
        answer(2600, 30, 10);
        assertThat(judged(2600)).isEqualTo("well");
        assertThat(staleness.lag()).isEqualTo(20);
    }

    @Test
    void aNodeIsStaleUntilItReadsOverdueRecords() {
        answer(0, 10, 10);
        partitions.read(0, 10);
        partitions.read(1, 9);
        assertThat(judged(2000)).isEqualTo("well");
        answer(2000, 50, 10);
        assertThat(judged(2001)).isEqualTo("this node lags 41 messages behind the log");
        partitions.read(1, 10);
        assertThat(judged(2500))
                .as("records from before it became stale are unread")
                .startsWith("this node");
        partitions.read(0, 50);
        answer(3000, 60, 10);
        assertThat(judged(3000)).as("read, but not checked again").startsWith("this node");
        partitions.read(0, 60);
        assertThat(judged(3500)).isEqualTo("well");
    }

    /**
     * Kafka was reachable again before its reader was: subscribers were notified that the node was well, stale and
     * well again.
     */
    @Test
    void anAnswerAfterAnOutageDoesNotEndStalenessBeforeAReading() {
        assertThat(judged(2000)).isEqualTo("well");
        assertThat(judged(2001)).isEqualTo("Kafka does not answer");
        answer(9000, 7, 0);
        assertThat(judged(9000)).isEqualTo("this node lags 7 messages behind the log");
        answer(11_500, 9, 0);
        assertThat(judged(11_500)).isEqualTo("this node lags 9 messages behind the log");
        partitions.read(0, 8);
        assertThat(judged(12_000)).as("it has read the records of 9 s").isEqualTo("well");
    }

    @Test
    void aNodeWithAQuietLogIsWellAsSoonAsKafkaAnswers() {
        assertThat(judged(2001)).isEqualTo("Kafka does not answer");
        answer(3000, 0, 0);
        assertThat(judged(3000)).isEqualTo("well");
    }

    @Test
    void aPartitionWithoutAReportedEndIsIgnored() {
        staleness.onAnswer(new Staleness.Ends(0, Map.of(1, 5L)), 0);
        partitions.read(1, 5);
        assertThat(judged(1999)).isEqualTo("well");
        assertThat(staleness.lag()).isZero();
    }
}
