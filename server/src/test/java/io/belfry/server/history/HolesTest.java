package io.belfry.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests a history whose seqs grow by more than one: previous seqs, continuity and eviction. */
class HolesTest {
    private static final int SUBJECT = 5;
    private static final long NOW = 1000;
    private static final long EXPIRE = 500;

    private final Holes holes = new Holes();
    private final History history = new History(3, new History.Bounds(4, EXPIRE), 1024, 2048, holes);

    @AfterEach
    void close() {
        history.close();
    }

    private void append(int subject, long seq, long time, int bytes) {
        ByteBuf data = Unpooled.wrappedBuffer("x".repeat(bytes).getBytes(StandardCharsets.UTF_8));
        history.append(new NewRecord().message(subject, seq, time, false).data(data, 0, bytes));
    }

    private List<String> read(long after) {
        List<String> read = new ArrayList<>();
        history.read(
                SUBJECT,
                after,
                Integer.MAX_VALUE,
                new MessageView(),
                NOW,
                message -> read.add(
                        message.seq() + (message.prev() == MessageView.NO_PREV ? "" : " after " + message.prev())));
        return read;
    }

    private boolean reachesBack(long after, long seq) {
        return history.reachesBack(after, seq, history.oldestSeq(SUBJECT, after, NOW));
    }

    @Test
    void eachMessageHasThePreviousSeqOfItsSubject() {
        holes.onCreated(SUBJECT, 7);
        for (long seq : List.of(10L, 11L, 20L)) {
            append(SUBJECT, seq, NOW, 1);
        }
        assertThat(read(0)).containsExactly("10 after 7", "11", "20 after 11");
        assertThat(read(11)).containsExactly("20 after 11");
    }

    @Test
    void aPositionBetweenTwoMessagesIsContinuous() {
        holes.onCreated(SUBJECT, 7);
        append(SUBJECT, 10, NOW, 1);
        append(SUBJECT, 20, NOW, 1);
        assertThat(reachesBack(7, 20)).isTrue();
        assertThat(reachesBack(15, 20)).isTrue();
        assertThat(reachesBack(20, 20)).isTrue();
        assertThat(reachesBack(6, 20))
                .as("before the beginning of this history")
                .isFalse();
    }

    @Test
    void aPositionBeforeAnExpiredMessageIsNotContinuous() {
        append(SUBJECT, 10, NOW - EXPIRE - 1, 1);
        append(SUBJECT, 20, NOW, 1);
        assertThat(reachesBack(9, 20)).isFalse();
        assertThat(reachesBack(10, 20)).isTrue();
        history.clean(NOW, 100, subject -> {});
        assertThat(history.messages()).isEqualTo(1);
        assertThat(reachesBack(9, 20)).isFalse();
        assertThat(reachesBack(10, 20)).isTrue();
        assertThat(read(0)).containsExactly("20 after 10");
    }

    @Test
    void atMostTheSizeIsRead() {
        for (long seq = 10; seq <= 100; seq += 10) {
            append(SUBJECT, seq, NOW, 1);
        }
        assertThat(read(0)).containsExactly("70 after 60", "80 after 70", "90 after 80", "100 after 90");
        assertThat(read(85)).containsExactly("90 after 80", "100 after 90");
        assertThat(history.before(SUBJECT, 2, 100, NOW)).isEqualTo(80);
        assertThat(history.before(SUBJECT, 100, 100, NOW)).isZero();
        assertThat(reachesBack(60, 100)).isTrue();
        assertThat(reachesBack(59, 100)).isFalse();
    }

    @Test
    void excessMessagesAreEvictedBeforeThoseOfQuietSubjects() {
        append(SUBJECT, 1, NOW, 1);
        for (long seq = 2; seq < 200; seq++) {
            append(SUBJECT + 1, seq, NOW, 50);
            history.clean(NOW, subject -> {});
        }
        assertThat(read(0)).containsExactly("1");
        assertThat(history.early()).isZero();
        assertThat(reachesBack(0, 1)).isTrue();
    }
}
