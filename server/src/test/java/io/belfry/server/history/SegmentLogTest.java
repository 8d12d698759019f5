package io.belfry.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageHeaders;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    private static NewRecord record(int subject, long seq, long time, boolean retained) {
        return new NewRecord().message(subject, seq, time, retained);
    }

    private long append(int subject, long seq, long time, long previous, int dataLength) {
        return log.append(
                record(subject, seq, time, seq % 2 == 0).id(bytes, 0, 5).data(bytes, 0, dataLength), previous);
    }

    @Test
    void aRecordIsReadUnchanged() {
        bytes.setByte(0, 'i').setByte(20, 'd');
        long address = log.append(record(7, 9, 11, true).id(bytes, 0, 3).data(bytes, 20, 100), 64);
        assertThat(log.subject(address)).isEqualTo(7);
        assertThat(log.seq(address)).isEqualTo(9);
        assertThat(log.time(address)).isEqualTo(11);
        assertThat(log.retained(address)).isTrue();
        assertThat(log.previous(address)).isEqualTo(64);
        assertThat(log.idLength(address)).isEqualTo(3);
        assertThat(log.contentLength(address)).isEqualTo(100);
        assertThat(log.bytes(address).getByte(log.idOffset(address))).isEqualTo((byte) 'i');
        assertThat(log.bytes(address).getByte(log.contentOffset(address))).isEqualTo((byte) 'd');
    }

    /** The bytes of a log of an earlier version, which a later one must read: without headers nothing changed. */
    @Test
    void aRecordWithoutHeadersHasTheBytesOfEarlierVersions() {
        ByteBuf content = Unpooled.buffer().writeBytes(new byte[] {'i', 'd', 'x', 'y'});
        long address = log.append(record(7, 9, 11, true).id(content, 0, 2).data(content, 2, 2), SegmentLog.NONE);
        assertThat(ByteBufUtil.hexDump(log.bytes(address), (int) address, 48))
                .isEqualTo("00000007" + "00000002" + "00000000000b" + "02" + "01" + "0000000000000009"
                        + "0000000000000000" + "0000000000000000" + "6964" + "7879" + "00000000");
        assertThat(RecordLayout.headersLength(log.bytes(address), (int) address))
                .isZero();
    }

    @Test
    void headersPrecedeTheDataOfTheirRecord() {
        ByteBuf headers = Unpooled.buffer();
        MessageHeaders.write(headers, Map.of("k", "v"));
        ByteBuf content = Unpooled.buffer().writeBytes(new byte[] {'i', 'd', 'x', 'y'});
        long address = log.append(
                record(7, 9, 11, false)
                        .id(content, 0, 2)
                        .data(content, 2, 2)
                        .headers(headers, 0, headers.writerIndex()),
                SegmentLog.NONE);
        assertThat(log.contentLength(address)).isEqualTo(9);
        assertThat(log.bytes(address).getByte(15)).isEqualTo((byte) RecordLayout.FLAG_HEADERS);
        assertThat(ByteBufUtil.hexDump(log.bytes(address), 42, 9)).isEqualTo("0005" + "016b000176" + "7879");
        assertThat(RecordLayout.headersLength(log.bytes(address), 0)).isEqualTo(7);
        log.makeCopy(address, 5);
        assertThat(RecordLayout.headersLength(log.bytes(address), 0))
                .as("of a copy that holds a retained message")
                .isEqualTo(7);
    }

    @Test
    void addressesGrowAndPreviousLinksCrossSegments() {
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
        assertThat(log.contentLength(second)).isEqualTo(data);
    }

    @Test
    void removingTheLastRecordOfASegmentFreesTheSegment() {
        List<Long> addresses = new ArrayList<>();
        for (int seq = 1; seq <= 100; seq++) {
            addresses.add(append(seq, seq, 0, SegmentLog.NONE, 70));
        }
        long segments = log.bytes() / SEGMENT;
        assertThat(log.segmentsOver()).isEqualTo((int) segments - 3);
        for (int i = 0; i < 99; i++) {
            assertThat(log.tail()).isEqualTo(addresses.get(i));
            log.leave();
            assertThat(log.holds(addresses.get(i))).isFalse();
            assertThat(log.records()).isEqualTo(99 - i);
            long held = addresses.get(99) / SEGMENT - addresses.get(i + 1) / SEGMENT + 1;
            assertThat(log.bytes()).isEqualTo(held * SEGMENT);
        }
        log.leave();
        assertThat(log.isEmpty()).isTrue();
        assertThat(log.bytes()).as("the segment being written stays").isEqualTo(SEGMENT);
        long next = append(1, 101, 12, SegmentLog.NONE, 10);
        assertThat(next).isGreaterThan(addresses.get(99)).isEqualTo(log.tail());
        assertThat(log.seq(next)).isEqualTo(101);
    }

    @Test
    void anEmptiedFullSegmentIsFreedAtTheNextRecord() {
        int data = SEGMENT - SegmentLog.recordBytes(5, 0);
        append(1, 1, 0, SegmentLog.NONE, data);
        log.leave();
        assertThat(log.bytes()).isEqualTo(SEGMENT);
        long next = append(1, 2, 0, SegmentLog.NONE, 10);
        assertThat(log.bytes()).isEqualTo(SEGMENT);
        assertThat(log.tail()).isEqualTo(next);
    }

    @Test
    void aCopyReplacesItsRecordBetweenItsNeighbours() {
        long first = append(1, 1, 10, SegmentLog.NONE, 70);
        long second = append(1, 2, 11, first, 70);
        long third = append(1, 3, 12, second, 70);
        long copyOfFirst = log.appendCopy(first);
        assertThat(log.previous(second)).isEqualTo(copyOfFirst);
        long copyOfSecond = log.appendCopy(second);
        assertThat(log.previous(third)).isEqualTo(copyOfSecond);
        assertThat(log.previous(copyOfSecond)).isEqualTo(copyOfFirst);
        assertThat(log.seq(copyOfSecond)).isEqualTo(2);
        assertThat(log.time(copyOfSecond)).isEqualTo(11);
        assertThat(log.retained(copyOfSecond)).isTrue();
        assertThat(log.contentLength(copyOfSecond)).isEqualTo(70);
        long copyOfThird = log.appendCopy(third);
        long fourth = append(1, 4, 13, copyOfThird, 70);
        long again = log.appendCopy(copyOfThird);
        assertThat(log.previous(fourth)).as("the copy's successor is updated").isEqualTo(again);
    }

    @Test
    void segmentsAreReusedWithoutEnd() {
        SegmentLog odd = new SegmentLog(1000, 3000);
        for (int seq = 1; seq <= 5000; seq++) {
            long address = odd.append(record(1, seq, seq, false).id(bytes, 0, 5).data(bytes, 0, 300), SegmentLog.NONE);
            assertThat(odd.seq(address)).isEqualTo(seq);
            while (odd.segmentsOver() > 0) {
                odd.leave();
            }
        }
        assertThat(odd.bytes()).isLessThanOrEqualTo(3000);
        odd.close();
    }
}
