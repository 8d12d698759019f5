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
        long address = log.append(
                subject, seq, 0, false, SegmentLog.NONE, id, 0, id.readableBytes(), Unpooled.EMPTY_BUFFER, 0, 0);
        ids.add(address);
        return address;
    }

    private long find(int subject, int number) {
        ByteBuf id = id(number);
        return ids.find(subject, id, 0, id.readableBytes());
    }

    @Test
    void itAgreesWithAMapWhateverComesAndGoesAndShrinksWithIt() {
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
