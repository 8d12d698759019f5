package io.belfry.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RetainedTest {
    private static final ByteBuf DATA = Unpooled.buffer(1000).writeZero(1000);

    private final Retained retained = new Retained(5, 1000);

    @Test
    void theLatestMessageIsKeptWithItsPosition() {
        retained.put(1, 3, 10, DATA, 0, 5);
        retained.put(1, 4, 11, DATA, 0, 6);
        MessageView view = new MessageView();
        assertThat(retained.show(1, view)).isTrue();
        assertThat(view.seq()).isEqualTo(4);
        assertThat(view.epoch()).isEqualTo(5);
        assertThat(view.timeMillis()).isEqualTo(11);
        assertThat(view.dataLength()).isEqualTo(6);
        assertThat(view.retained()).isTrue();
        assertThat(retained.size()).isEqualTo(1);
        assertThat(retained.show(2, view)).isFalse();
    }

    @Test
    void anEmptyMessageClearsAndAlwaysFits() {
        retained.put(1, 1, 0, DATA, 0, 900);
        assertThat(retained.fits(2, 1)).isFalse();
        assertThat(retained.fits(2, 0)).isTrue();
        assertThat(retained.fits(1, 904)).as("the previous message makes room").isTrue();
        assertThat(retained.fits(1, 905)).isFalse();
        retained.put(1, 2, 0, DATA, 0, 0);
        assertThat(retained.has(1)).isFalse();
        assertThat(retained.bytes()).isZero();
    }

    @Test
    void headersAreKeptAndCountedWithTheData() {
        ByteBuf headers = Unpooled.buffer();
        MessageHeaders.write(headers, Map.of("k", "v"));
        MessageView message = new MessageView()
                .data(DATA, 0, 5)
                .headers(headers, 0, headers.writerIndex())
                .position(5, 0, 3)
                .time(10);
        retained.put(1, message);
        headers.setZero(0, headers.writerIndex());
        MessageView view = new MessageView();
        assertThat(retained.show(1, view)).isTrue();
        assertThat(view.dataLength()).isEqualTo(5);
        assertThat(MessageHeaders.of(view)).isEqualTo(Map.of("k", "v"));
        assertThat(retained.bytes()).isEqualTo(96 + 5 + headers.writerIndex());
        assertThat(retained.growth(1, 5 + headers.writerIndex())).isZero();
        retained.put(1, message.data(DATA, 0, 0).headers(headers, 0, headers.writerIndex()));
        assertThat(retained.has(1)).isFalse();
        assertThat(retained.bytes()).isZero();
    }

    @Test
    void theRetainedMessageIsACopy() {
        ByteBuf data = Unpooled.buffer().writeByte('a');
        retained.put(1, 1, 0, data, 0, 1);
        data.setByte(0, 'b');
        MessageView view = new MessageView();
        retained.show(1, view);
        assertThat(view.data().getByte(view.dataOffset())).isEqualTo((byte) 'a');
    }

    @Test
    void bytesAndSizeMatchTheContents() {
        Random random = new Random(1);
        Map<Integer, Integer> lengths = new HashMap<>();
        for (int i = 0; i < 5000; i++) {
            int subject = random.nextInt(20);
            int length = random.nextInt(4) == 0 ? 0 : random.nextInt(200);
            if (retained.fits(subject, length)) {
                retained.put(subject, i, 0, DATA, 0, length);
                lengths.put(subject, length);
                lengths.values().removeIf(each -> each == 0);
            }
            long bytes = lengths.values().stream().mapToLong(each -> each + 96).sum();
            assertThat(retained.bytes()).isEqualTo(bytes).isLessThanOrEqualTo(1000);
            assertThat(retained.size()).isEqualTo(lengths.size());
        }
    }

    @Test
    void aReadInPiecesReturnsTheLatestMessageOfEachSubject() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            Retained many = new Retained(5, Long.MAX_VALUE);
            Map<Integer, Long> kept = new HashMap<>();
            Map<Integer, Long> read = new HashMap<>();
            MessageView view = new MessageView();
            for (int subject = 0; subject < 30; subject++) {
                put(many, kept, subject, 1, false);
            }
            long cursor = 0;
            for (int seq = 1; cursor != Retained.END; seq++) {
                boolean last = seq > 200;
                for (int puts = last ? 0 : random.nextInt(4); puts > 0; puts--) {
                    put(many, kept, random.nextInt(30), ++seq, random.nextInt(5) == 0);
                }
                int most = 1 + random.nextInt(5);
                int[] visited = new int[1];
                cursor = many.readAfter(cursor, 1 + random.nextInt(6), subject -> {
                    many.show(subject, view);
                    Long before = read.put(subject, view.seq());
                    assertThat(before == null || before < view.seq()).isTrue();
                    return ++visited[0] < most;
                });
            }
            read.keySet().retainAll(kept.keySet());
            assertThat(read).as("seed %d", seed).isEqualTo(kept);
        }
    }

    private static void put(Retained many, Map<Integer, Long> kept, int subject, long seq, boolean clear) {
        many.put(subject, seq, 0, DATA, 0, clear ? 0 : 1);
        if (clear) {
            kept.remove(subject);
        } else {
            kept.put(subject, seq);
        }
    }

    @Test
    void repeatedPutsOfASubjectDoNotGrowTheTable() {
        RetainedOrder order = new RetainedOrder();
        long[] numbers = new long[100];
        for (int i = 0; i < 1_000_000; i++) {
            int subject = i % numbers.length;
            if (numbers[subject] != 0) {
                order.remove(numbers[subject]);
            }
            numbers[subject] = order.add(subject);
        }
        assertThat(order.capacity()).isLessThanOrEqualTo(8 * numbers.length);
        for (long number : numbers) {
            order.remove(number);
        }
        assertThat(order.capacity()).isLessThanOrEqualTo(64);
    }
}
