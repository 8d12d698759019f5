package io.belfry.benchkit.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StampTest {
    private static final long NOW = 1_795_170_000_123_456_789L;

    private final byte[] payload = "x".repeat(Stamp.BYTES + 20).getBytes(StandardCharsets.US_ASCII);

    @Test
    void aWrittenStampIsReadBack() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            long nanos = random.nextLong(Long.MAX_VALUE);
            int publisher = random.nextInt(Stamp.PUBLISHER_MAX + 1);
            long sequence = random.nextLong(Stamp.SEQUENCE_MAX + 1);
            Stamp.write(payload, nanos, publisher, sequence);
            assertThat(Stamp.intendedNanos(payload)).isEqualTo(nanos);
            assertThat(Stamp.publisher(payload)).isEqualTo(publisher);
            assertThat(Stamp.sequence(payload)).isEqualTo(sequence);
        }
    }

    @Test
    void theLargestValuesFit() {
        Stamp.write(payload, Long.MAX_VALUE, Stamp.PUBLISHER_MAX, Stamp.SEQUENCE_MAX);
        assertThat(Stamp.intendedNanos(payload)).isEqualTo(Long.MAX_VALUE);
        assertThat(Stamp.publisher(payload)).isEqualTo(Stamp.PUBLISHER_MAX);
        assertThat(Stamp.sequence(payload)).isEqualTo(Stamp.SEQUENCE_MAX);
    }

    @Test
    void theStampIsAlphanumericAndKeepsTheRest() {
        Stamp.write(payload, NOW, 12345, 678);
        Stamp.writeClock(payload, new ClockOffset(-17, 25, 4711));
        String text = new String(payload, StandardCharsets.US_ASCII);
        assertThat(text).matches("[0-9A-Za-z]+").endsWith("x".repeat(20));
    }

    @Test
    void aStampWithAnInvalidByteIsRejected() {
        for (int i = 0; i < 29; i++) {
            Stamp.write(payload, NOW, 12345, 678);
            payload[i] = '!';
            assertThat(Stamp.intendedNanos(payload)).as("byte %d", i).isEqualTo(Stamp.NO_STAMP);
        }
    }

    @Test
    void theWrittenClockOffsetIsReadBack() {
        Stamp.write(payload, NOW, 12345, 678);
        for (ClockOffset clock : List.of(
                new ClockOffset(-86_400_000_000L, 12, 1),
                new ClockOffset(5, 0, (1 << 30) - 1),
                ClockOffset.unknown(77))) {
            Stamp.writeClock(payload, clock);
            assertThat(Stamp.clock(payload)).isEqualTo(clock);
        }
        payload[40] = '!';
        assertThat(Stamp.clock(payload).isKnown()).isFalse();
    }

    @Test
    void anEndMarkDiffersFromAMessageStamp() {
        Stamp.write(payload, NOW, 12345, 678);
        assertThat(Stamp.isEnd(payload)).isFalse();
        Stamp.writeEnd(payload, NOW, 12345, 678);
        assertThat(Stamp.isEnd(payload)).isTrue();
        assertThat(Stamp.intendedNanos(payload)).isEqualTo(NOW);
        assertThat(Stamp.sequence(payload)).isEqualTo(678);
    }

    @Test
    void twoClocksOfOneMachineAgree() {
        SharedClock one = SharedClock.start();
        SharedClock other = SharedClock.start();
        assertThat(other.nanos().getAsLong() - one.nanos().getAsLong()).isBetween(-1_000_000L, 50_000_000L);
    }
}
