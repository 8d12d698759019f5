package io.belfry.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.HistoryRemoval;
import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private static final long EPOCH = 3;
    private static final int ALL = Integer.MAX_VALUE;
    private static final int SEGMENT = 1024;

    private final List<History> opened = new ArrayList<>();
    private final List<Integer> gone = new ArrayList<>();

    private History history(int size, long expireMillis, long budget) {
        History history = new History(EPOCH, size, expireMillis, SEGMENT, budget);
        opened.add(history);
        return history;
    }

    @AfterEach
    void close() {
        opened.forEach(History::close);
    }

    private static ByteBuf utf8(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void append(History history, int subject, long seq, long time, String id, String data) {
        ByteBuf idBytes = utf8(id);
        ByteBuf dataBytes = utf8(data);
        history.append(new NewRecord()
                .message(subject, seq, time, false)
                .id(idBytes, 0, idBytes.readableBytes())
                .data(dataBytes, 0, dataBytes.readableBytes()));
    }

    private static List<Long> seqs(History history, int subject, long after, int most, long now) {
        List<Long> seqs = new ArrayList<>();
        history.read(subject, after, most, new MessageView(), now, message -> seqs.add(message.seq()));
        return seqs;
    }

    private static long seqOf(History history, int subject, String id, long now) {
        ByteBuf bytes = utf8(id);
        return history.seqOf(subject, bytes, 0, bytes.readableBytes(), now);
    }

    private static void remove(History history, int subject, long seq, long time) {
        ByteBuf headers = Unpooled.buffer();
        HistoryRemoval.writeHeaders(headers);
        history.append(new NewRecord()
                .message(subject, seq, time, true)
                .data(Unpooled.EMPTY_BUFFER, 0, 0)
                .headers(headers, 0, headers.readableBytes()));
    }

    @Test
    void nothingBeforeARemovalIsReadable() {
        History history = history(100, 1000, 1 << 20);
        append(history, 1, 1, 10, "", "one");
        append(history, 1, 2, 10, "id", "two");
        append(history, 2, 1, 10, "", "other");
        remove(history, 1, 3, 11);
        append(history, 1, 4, 12, "", "four");
        assertThat(seqs(history, 1, 0, ALL, 20)).containsExactly(3L, 4L);
        assertThat(seqs(history, 2, 0, ALL, 20)).containsExactly(1L);
        long oldest = history.oldestSeq(1, 1, 20);
        assertThat(oldest).isEqualTo(3);
        assertThat(history.reachesBack(1, 4, oldest)).isFalse();
        assertThat(history.isRemoval(1, oldest)).isTrue();
        assertThat(history.gapEnd(1, oldest)).isEqualTo(3);
        List<Long> scanned = new ArrayList<>();
        history.scan(history.start(), ALL, (subject, address) -> scanned.add(subject * 10L + history.seq(address)));
        assertThat(scanned).containsExactly(21L, 13L, 14L);
        assertThat(seqOf(history, 1, "id", 20)).as("a repeat is still known").isEqualTo(2);
    }

    @Test
    void aRemovalEndsWithItsSubject() {
        History history = history(100, 1000, 1 << 20);
        remove(history, 1, 5, 10);
        assertThat(history.isRemoval(1, 5)).isTrue();
        history.onForgotten(1);
        assertThat(history.isRemoval(1, 5)).isFalse();
    }

    @Test
    void messagesAreReadUnchangedAndOldestFirst() {
        History history = history(100, 1000, 1 << 20);
        append(history, 1, 1, 10, "", "one");
        append(history, 2, 1, 10, "", "other");
        append(history, 1, 2, 11, "id", "two");
        List<String> read = new ArrayList<>();
        history.read(
                1,
                0,
                ALL,
                new MessageView(),
                20,
                message -> read.add(message.seq() + "@"
                        + message.epoch() + " " + message.timeMillis() + " "
                        + message.data().toString(message.dataOffset(), message.dataLength(), StandardCharsets.UTF_8)));
        assertThat(read).containsExactly("1@3 10 one", "2@3 11 two");
        assertThat(history.messages()).isEqualTo(3);
    }

    @Test
    void aReaderCanStopTheReading() {
        History history = history(100, 1000, 1 << 20);
        for (int seq = 1; seq <= 9; seq++) {
            append(history, 1, seq, 0, "", "x");
        }
        List<Long> read = new ArrayList<>();
        history.read(1, 2, ALL, new MessageView(), 0, message -> {
            read.add(message.seq());
            return read.size() < 3;
        });
        assertThat(read).containsExactly(3L, 4L, 5L);
        assertThat(seqs(history, 1, 0, 2, 0)).containsExactly(8L, 9L);
        assertThat(seqs(history, 1, 9, ALL, 0)).isEmpty();
    }

    @Test
    void onlyTheLatestMessagesUpToTheSizeAreKept() {
        History history = history(3, 1000, 1 << 20);
        for (int seq = 1; seq <= 10; seq++) {
            append(history, 1, seq, 0, "", "x");
        }
        assertThat(seqs(history, 1, 0, ALL, 0)).containsExactly(8L, 9L, 10L);
        assertThat(history.oldestSeq(1, 0, 0)).isEqualTo(8);
    }

    @Test
    void expiredMessagesAreNotReadEvenBeforeTheCleaning() {
        History history = history(100, 1000, 1 << 20);
        append(history, 1, 1, 0, "", "x");
        append(history, 1, 2, 500, "", "x");
        assertThat(seqs(history, 1, 0, ALL, 1001)).containsExactly(2L);
        assertThat(history.oldestSeq(1, 0, 1501)).isEqualTo(-1);
        assertThat(history.isEmpty(1)).isFalse();
        history.clean(1501, gone::add);
        assertThat(history.isEmpty(1)).isTrue();
        assertThat(gone).containsExactly(1);
        assertThat(history.messages()).isZero();
    }

    @Test
    void memoryIsBoundedAndEmptiedSubjectsAreReported() {
        History history = history(1000, 1_000_000, 4 * SEGMENT);
        append(history, 1, 1, 0, "", "x");
        for (int seq = 1; seq <= 200; seq++) {
            append(history, 2, seq, 0, "", "y".repeat(100));
            history.clean(0, gone::add);
            assertThat(history.bytes()).isLessThanOrEqualTo(4 * SEGMENT);
        }
        assertThat(gone).containsExactly(1);
        List<Long> left = seqs(history, 2, 0, ALL, 0);
        assertThat(left).isNotEmpty().endsWith(200L).doesNotContain(1L);
        assertThat(history.oldestSeq(2, 0, 0)).isEqualTo(left.getFirst());
    }

    @Test
    void aMessageIdIsFoundAsLongAsItsMessageIsKept() {
        History history = history(100, 1000, 1 << 20);
        append(history, 1, 1, 0, "id", "x");
        append(history, 2, 7, 0, "id", "x");
        assertThat(seqOf(history, 1, "id", 0)).isEqualTo(1);
        assertThat(seqOf(history, 2, "id", 0)).isEqualTo(7);
        assertThat(seqOf(history, 3, "id", 0)).isEqualTo(-1);
        assertThat(seqOf(history, 1, "i", 0)).isEqualTo(-1);
        assertThat(seqOf(history, 1, "id", 1001)).isEqualTo(-1);
        append(history, 1, 2, 1001, "id", "again");
        assertThat(seqOf(history, 1, "id", 1001)).isEqualTo(2);
        history.clean(2002, gone::add);
        assertThat(seqOf(history, 1, "id", 2002)).isEqualTo(-1);
    }

    @Test
    void aHistoryOfSizeZeroKeepsNothing() {
        History history = history(0, 1000, 0);
        append(history, 1, 1, 0, "id", "x".repeat(5000));
        assertThat(history.keeps()).isFalse();
        assertThat(history.isEmpty(1)).isTrue();
        assertThat(history.messages()).isZero();
        assertThat(history.bytes()).isZero();
        assertThat(seqOf(history, 1, "id", 0)).isEqualTo(-1);
    }

    @Test
    void aSubjectWithoutHistoryBeginsANewHistory() {
        History history = history(100, 10, 1 << 20);
        append(history, 1, 1, 0, "", "x");
        history.clean(100, gone::add);
        append(history, 1, 2, 100, "", "x");
        assertThat(seqs(history, 1, 0, ALL, 100)).containsExactly(2L);
    }

    private record Kept(int subject, long seq, long time, String id) {}

    @Test
    void theHistoryAgreesWithAModelOfSizeAgeAndMemory() {
        Random random = new Random(9);
        History history = history(20, 500, 8 * SEGMENT);
        Map<Integer, Deque<Kept>> model = new HashMap<>();
        long now = 0;
        for (int i = 0; i < 20_000; i++) {
            now += random.nextInt(3) == 0 ? random.nextInt(20) : 0;
            int subject = random.nextInt(12);
            Deque<Kept> kept = model.computeIfAbsent(subject, s -> new ArrayDeque<>());
            long seq = kept.isEmpty() ? 1 : kept.getLast().seq() + 1;
            String id = random.nextInt(3) == 0 ? "id" + seq : "";
            append(history, subject, seq, now, id, "d".repeat(random.nextInt(60)));
            kept.addLast(new Kept(subject, seq, now, id));
            if (random.nextInt(10) == 0) {
                history.clean(now, s -> {});
            }
            long after = Math.max(0, seq - random.nextInt(40));
            assertAgrees(history, kept, subject, after, now);
        }
    }

    /** Compares with the expected messages; memory may evict the oldest early, but none in between. */
    private static void assertAgrees(History history, Deque<Kept> kept, int subject, long after, long now) {
        List<Long> wanted = new ArrayList<>();
        long latest = kept.getLast().seq();
        for (Kept each : kept) {
            if (each.seq() > Math.max(after, latest - 20) && each.time() >= now - 500) {
                wanted.add(each.seq());
            }
        }
        List<Long> read = seqs(history, subject, after, ALL, now);
        assertThat(wanted.subList(wanted.size() - read.size(), wanted.size())).isEqualTo(read);
        assertThat(read.isEmpty()).isEqualTo(wanted.isEmpty());
        for (Kept each : kept) {
            if (read.contains(each.seq()) && !each.id().isEmpty()) {
                assertThat(seqOf(history, subject, each.id(), now)).isEqualTo(each.seq());
            }
        }
    }

    @Test
    void aHistoryWithABoundInBytesAgreesWithAModel() {
        Random random = new Random(7);
        long[] bytesMax = {100};
        SubjectBounds bounds = new SubjectBounds() {
            @Override
            public boolean keeps() {
                return true;
            }

            @Override
            public int size(int subject) {
                return 5000;
            }

            @Override
            public long expireMillis(int subject) {
                return 1_000_000;
            }

            @Override
            public long bytes(int subject) {
                return bytesMax[0];
            }
        };
        History history = new History(EPOCH, bounds, 1 << 16, 1 << 22, null);
        opened.add(history);
        List<Integer> lengths = new ArrayList<>();
        for (int round = 0; round < 3000; round++) {
            if (random.nextInt(50) == 0) {
                bytesMax[0] = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(20_000);
            }
            int length = random.nextInt(12);
            lengths.add(length);
            append(history, 1, lengths.size(), 10, "", "x".repeat(length));
            long after = random.nextInt(lengths.size() + 1);
            long expected = lengths.size();
            long left = bytesMax[0];
            while (expected > Math.max(after, lengths.size() - 5000) && lengths.get((int) expected - 1) <= left) {
                left -= lengths.get((int) --expected);
            }
            assertThat(history.oldestSeq(1, after, 20)).isEqualTo(expected == lengths.size() ? -1 : expected + 1);
            if (round % 20 == 0) {
                List<Long> seqs = seqs(history, 1, after, ALL, 20);
                assertThat(seqs).hasSize((int) (lengths.size() - expected));
            }
        }
    }
}
