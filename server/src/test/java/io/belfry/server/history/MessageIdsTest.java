package io.belfry.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageIdsTest {
    private final SegmentLog log = new SegmentLog(1 << 20, 1 << 30);
    private final MessageIds ids = new MessageIds(log);

    private static ByteBuf id(int number) {
        return Unpooled.copiedBuffer("id" + number, StandardCharsets.UTF_8);
    }

    private long add(int subject, int number, long seq) {
        ByteBuf id = id(number);
        NewRecord record = new NewRecord().message(subject, seq, 0, false).id(id, 0, id.readableBytes());
        long address = log.append(record, SegmentLog.NONE);
        ids.add(address);
        return address;
    }

    private long find(int subject, int number) {
        ByteBuf id = id(number);
        return ids.find(subject, id, 0, id.readableBytes());
    }

    private record Added(int number, long address) {}

    /** Appends, removes the oldest record and rolls back at random; the newest ids of the log must be found, and no others. */
    @Test
    void theOldestIdsAreForgottenBeyondTheBound() {
        int max = 20;
        Random random = new Random(5);
        // As on disk, a full segment ends before the addresses of the next one.
        SegmentLog small = new SegmentLog(1000, 1 << 30);
        MessageIds bounded = new MessageIds(small, max);
        Deque<Added> records = new ArrayDeque<>();
        Deque<Added> known = new ArrayDeque<>();
        long forgotten = 0;
        for (int number = 0; number < 50_000; number++) {
            int action = random.nextInt(100);
            if (action < 2 && !records.isEmpty()) {
                rollBack(small, bounded, records, known, 1 + random.nextInt(30));
            } else if (action < 40 && !records.isEmpty()) {
                Added oldest = records.removeFirst();
                known.remove(oldest);
                if (oldest.number() >= 0) {
                    bounded.remove(oldest.address());
                }
                small.leave();
            } else if (action < 60) {
                records.add(new Added(-1, append(small, number, "")));
            } else {
                Added added = new Added(number, append(small, number, "id" + number));
                if (known.size() == max) {
                    known.removeFirst();
                    forgotten++;
                }
                bounded.add(added.address());
                records.add(added);
                known.add(added);
            }
            assertThat(bounded.forgotten()).isEqualTo(forgotten);
            for (Added each : records) {
                if (each.number() >= 0) {
                    ByteBuf id = id(each.number());
                    assertThat(bounded.find(0, id, 0, id.readableBytes()))
                            .isEqualTo(known.contains(each) ? each.address() : SegmentLog.NONE);
                }
            }
        }
        assertThat(forgotten).isPositive();
        small.close();
    }

    private static long append(SegmentLog log, long seq, String id) {
        ByteBuf bytes = Unpooled.copiedBuffer(id, StandardCharsets.UTF_8);
        return log.append(new NewRecord().message(0, seq, 0, false).id(bytes, 0, id.length()), SegmentLog.NONE);
    }

    private static void rollBack(SegmentLog log, MessageIds ids, Deque<Added> records, Deque<Added> known, int newest) {
        for (int i = 0; i < newest && records.size() > 1; i++) {
            Added last = records.removeLast();
            known.remove(last);
            if (last.number() >= 0) {
                ids.remove(last.address());
            }
        }
        long latest = records.getLast().address();
        long end = latest + log.length(latest);
        log.rollBack(end);
        ids.rolledBack(end);
    }

    @Test
    void randomIdsAgreeWithAMapAndTheTableShrinks() {
        Random random = new Random(3);
        Map<Integer, Long> model = new HashMap<>();
        Deque<Integer> oldestFirst = new ArrayDeque<>();
        for (int i = 0; i < 300_000; i++) {
            boolean grows = i < 150_000;
            if (random.nextInt(10) < (grows ? 8 : 2) || oldestFirst.isEmpty()) {
                model.put(i, add(i % 7, i, i));
                oldestFirst.add(i);
            } else {
                int gone = oldestFirst.remove();
                ids.remove(Objects.requireNonNull(model.remove(gone)));
                assertThat(find(gone % 7, gone)).isEqualTo(SegmentLog.NONE);
            }
        }
        model.forEach((number, address) -> assertThat(find(number % 7, number)).isEqualTo(address));
        int full = ids.capacity();
        model.values().forEach(ids::remove);
        assertThat(ids.capacity()).isLessThanOrEqualTo(Math.min(full, 256 * 8));
        log.close();
    }
}
