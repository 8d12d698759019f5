package io.belfry.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the record of the latest seqs of forgotten subjects. */
class LastSeqsTest {
    private static byte[] name(int subject) {
        return ("/s/" + subject).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void anUnknownSubjectIsAtTheFloor() {
        LastSeqs seqs = new LastSeqs(2, 10);
        seqs.beginsAt(1, 40);
        assertThat(seqs.find(0, name(1))).isZero();
        assertThat(seqs.find(1, name(1))).isEqualTo(40);
    }

    @Test
    void aSubjectIsFoundAmongManyOthers() {
        LastSeqs seqs = new LastSeqs(1, 100_000);
        for (int i = 1; i <= 10_000; i++) {
            assertThat(seqs.put(0, name(i), i)).isZero();
        }
        assertThat(seqs.size()).isEqualTo(10_000);
        for (int i = 1; i <= 10_000; i++) {
            assertThat(seqs.find(0, name(i))).isEqualTo(i);
        }
        assertThat(seqs.find(0, name(0)))
                .as("remembered subjects do not raise the floor")
                .isZero();
    }

    @Test
    void theOldestSubjectsAreEvictedAndTheFloorRisesAboveThem() {
        LastSeqs seqs = new LastSeqs(2, 8);
        for (int i = 1; i <= 8; i++) {
            seqs.put(0, name(i), 10L * i);
        }
        assertThat(seqs.put(0, name(9), 90)).isEqualTo(4);
        assertThat(seqs.find(0, name(1))).isEqualTo(40);
        assertThat(seqs.find(0, name(8))).isEqualTo(80);
        assertThat(seqs.find(0, name(9))).isEqualTo(90);
        assertThat(seqs.find(1, name(1))).as("the floor of another partition").isZero();
    }

    @Test
    void aSeqBelowTheFloorIsFoundUnchanged() {
        LastSeqs seqs = new LastSeqs(1, 2);
        for (int i = 1; i <= 5; i++) {
            seqs.put(0, name(i), 100L * i);
        }
        assertThat(seqs.find(0, name(99))).isPositive();
        seqs.put(0, name(7), 5);
        assertThat(seqs.find(0, name(7))).isEqualTo(5);
    }

    @Test
    void aFoundSeqIsNeverBelowTheLatest() {
        Random random = new Random(3);
        LastSeqs seqs = new LastSeqs(1, 64);
        Map<Integer, Long> latest = new HashMap<>();
        for (long seq = 1; seq < 20_000; seq++) {
            int subject = (int) Math.abs(random.nextGaussian() * 40);
            latest.put(subject, seq);
            seqs.put(0, name(subject), seq);
            int asked = random.nextInt(150);
            assertThat(seqs.find(0, name(asked))).isGreaterThanOrEqualTo(latest.getOrDefault(asked, 0L));
            assertThat(seqs.size()).isLessThanOrEqualTo(64);
        }
    }

    @Test
    void withoutCapacityTheFloorIsReturned() {
        LastSeqs seqs = new LastSeqs(1, 0);
        for (int i = 1; i <= 10; i++) {
            seqs.put(0, name(i), i);
            assertThat(seqs.find(0, name(i))).isEqualTo(i);
        }
        assertThat(seqs.find(0, name(99))).isGreaterThanOrEqualTo(8);
    }
}
