package io.belfry.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmentLogTest {
    private static final int SEGMENT = 1024;

    private final SegmentLog log = new SegmentLog(SEGMENT, 3 * SEGMENT);
    private final ByteBuf bytes = Unpooled.buffer(SEGMENT).writeZero(SEGMENT);

    @AfterEach
    void close() {
        log.close();
    }

    private long append(int subject, long seq, long time, long previous, int dataLength) {
        return log.append(subject, seq, time, seq % 2 == 0, previous, bytes, 0, 5, bytes, 0, dataLength);
    }

    @Test
    void aRecordIsReadBackWhole() {
        bytes.setByte(0, 'i').setByte(20, 'd');
        long address = log.append(7, 9, 11, true, 64, bytes, 0, 3, bytes, 20, 100);
        assertThat(log.subject(address)).isEqualTo(7);
        assertThat(log.seq(address)).isEqualTo(9);
        assertThat(log.time(address)).isEqualTo(11);
        assertThat(log.retained(address)).isTrue();
        assertThat(log.previous(address)).isEqualTo(64);
        assertThat(log.idLength(address)).isEqualTo(3);
        assertThat(log.dataLength(address)).isEqualTo(100);
        assertThat(log.bytes(address).getByte(log.idOffset(address))).isEqualTo((byte) 'i');
        assertThat(log.bytes(address).getByte(log.dataOffset(address))).isEqualTo((byte) 'd');
    }

    @Test
    void addressesGrowAndPreviousLinksHoldOverSegments() {
        long previous = SegmentLog.NONE;
        List<Long> addresses = new ArrayList<>();
        for (int seq = 1; seq <= 100; seq++) {
            long address = append(1, seq, seq, previous, 70);
            assertThat(address).isGreaterThan(previous);
            addresses.add(address);
            previous = address;
        }
        for (int i = 99; i > 0; i--) {
            assertThat(log.previous(addresses.get(i))).isEqualTo(addresses.get(i - 1));
            assertThat(log.seq(addresses.get(i))).isEqualTo(i + 1);
        }
    }

    @Test
    void aRecordAsLargeAsASegmentFits() {
        int data = SEGMENT - SegmentLog.recordBytes(5, 0);
        long first = append(1, 1, 0, SegmentLog.NONE, data);
        long second = append(1, 2, 0, first, data);
        assertThat(second).isEqualTo(first + SEGMENT);
        assertThat(log.dataLength(second)).isEqualTo(data);
    }

    @Test
    void whatLeavesIsToldOldestFirstWhileItCanStillBeRead() {
        for (int seq = 1; seq <= 100; seq++) {
            append(seq, seq, 0, SegmentLog.NONE, 70);
        }
        List<Long> left = new ArrayList<>();
        log.evict(0, (address, subject) -> {
            assertThat(log.seq(address)).isEqualTo(subject);
            left.add(address);
        });
        assertThat(left).isSorted().isNotEmpty();
        assertThat(log.records()).isEqualTo(100 - left.size());
        assertThat(log.bytes()).isLessThanOrEqualTo(3 * SEGMENT);
        assertThat(left).noneMatch(log::holds);
        assertThat(log.holds(log.tail())).isTrue();
    }

    @Test
    void ageEmptiesEvenTheSegmentBeingWritten() {
        long address = append(1, 1, 10, SegmentLog.NONE, 10);
        log.evict(10, (a, subject) -> {});
        assertThat(log.holds(address)).isTrue();
        log.evict(11, (a, subject) -> {});
        assertThat(log.holds(address)).isFalse();
        assertThat(log.records()).isZero();
        assertThat(append(1, 2, 12, SegmentLog.NONE, 10)).isGreaterThan(address);
    }

    @Test
    void itRunsOnThroughManyMoreSegmentsThanItHolds() {
        for (int seq = 1; seq <= 5000; seq++) {
            long address = append(1, seq, seq, SegmentLog.NONE, 300);
            assertThat(log.seq(address)).isEqualTo(seq);
            log.evict(0, (a, subject) -> {});
        }
        assertThat(log.bytes()).isLessThanOrEqualTo(3 * SEGMENT);
    }
}
