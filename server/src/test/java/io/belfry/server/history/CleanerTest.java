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

/** Tests which messages stay and which are evicted when memory is short; {@link CleanerPlayTest} tests it at random. */
class CleanerTest {
    private static final int SEGMENT = 1024;
    private static final int HOT = 0;
    private static final String DATA = "x".repeat(56);

    private final List<Integer> gone = new ArrayList<>();
    private History history = history(4, 4 * SEGMENT);
    private long now;

    private static History history(int cacheSize, long budget) {
        return new History(3, cacheSize, 1000, SEGMENT, budget);
    }

    @AfterEach
    void close() {
        history.close();
    }

    private void publish(int subject, long seq, String id) {
        ByteBuf idBytes = Unpooled.copiedBuffer(id, StandardCharsets.UTF_8);
        ByteBuf data = Unpooled.copiedBuffer(DATA, StandardCharsets.UTF_8);
        history.append(new NewRecord()
                .message(subject, seq, now, false)
                .id(idBytes, 0, id.length())
                .data(data, 0, DATA.length()));
    }

    private void publishHot(int from, int to) {
        for (int seq = from; seq <= to; seq++) {
            publish(HOT, seq, "");
            history.clean(now, gone::add);
        }
    }

    private List<Long> seqs(int subject) {
        List<Long> seqs = new ArrayList<>();
        history.read(subject, 0, Integer.MAX_VALUE, new MessageView(), now, message -> seqs.add(message.seq()));
        return seqs;
    }

    private long seqOf(int subject, String id) {
        ByteBuf bytes = Unpooled.copiedBuffer(id, StandardCharsets.UTF_8);
        return history.seqOf(subject, bytes, 0, id.length(), now);
    }

    @Test
    void aBusySubjectDoesNotEvictMessagesOfQuietSubjects() {
        publish(1, 1, "first");
        publish(1, 2, "second");
        publish(2, 1, "first");
        publishHot(1, 5000);
        assertThat(seqs(1)).containsExactly(1L, 2L);
        assertThat(seqs(2)).containsExactly(1L);
        assertThat(seqs(HOT)).containsExactly(4997L, 4998L, 4999L, 5000L);
        assertThat(seqOf(1, "second")).isEqualTo(2);
        assertThat(seqOf(2, "first")).isEqualTo(1);
        assertThat(gone).isEmpty();
        assertThat(history.early()).isZero();
        assertThat(history.copied()).isPositive();
        assertThat(history.bytes()).isLessThanOrEqualTo(4 * SEGMENT);
    }

    @Test
    void messagesPublishedFarApartAreKeptTogether() {
        for (int seq = 1; seq <= 4; seq++) {
            publish(1, seq, "");
            publishHot(seq * 1000, seq * 1000 + 17);
        }
        publish(1, 5, "");
        publishHot(9000, 9100);
        assertThat(seqs(1)).containsExactly(2L, 3L, 4L, 5L);
        assertThat(history.early()).isZero();
    }

    @Test
    void messagesOfManyQuietSubjectsInOneSegmentAreKept() {
        publishQuiet(1, 19);
        publishHot(1, 1000);
        for (int subject = 1; subject <= 19; subject++) {
            assertThat(seqs(subject)).containsExactly(1L);
        }
        assertThat(history.early()).isZero();
    }

    private void publishQuiet(int from, int to) {
        for (int subject = from; subject <= to; subject++) {
            publish(subject, 1, "");
            history.clean(now, gone::add);
        }
    }

    @Test
    void aMostlyReadableLogEvictsAndCountsTheOldestMessages() {
        publishQuiet(1, 100);
        long copied = history.copied();
        assertThat(copied).as("at most half of the log is copied").isLessThanOrEqualTo(20);
        publishQuiet(101, 500);
        assertThat(history.copied()).isEqualTo(copied);
        assertThat(gone).hasSizeGreaterThan(450).doesNotHaveDuplicates();
        assertThat(history.early()).isEqualTo(gone.size());
        assertThat(history.messages()).isEqualTo(500 - gone.size());
        assertThat(history.bytes()).isLessThanOrEqualTo(4 * SEGMENT);
    }

    /** Expires all messages, so that the next segment full of readable messages is not copied. */
    private void useUpCredit() {
        publishQuiet(1000, 1100);
        now += 1001;
        history.clean(now, gone::add);
        assertThat(history.messages()).isZero();
        gone.clear();
    }

    @Test
    void copiesOlderThanAnEvictedMessageAreRemovedWithTheirIds() {
        useUpCredit();
        // Publishes until a segment begins, because the existing one is full.
        for (int subject = 2000; history.bytes() == SEGMENT; subject++) {
            publish(subject, 1, "");
        }
        long copied = history.copied();
        publish(1, 1, "first");
        publishHot(21, 28);
        publish(1, 2, "second");
        publishQuiet(10, 18);
        publishHot(30, 56);
        assertThat(history.copied() - copied)
                .as("the first message was copied to the head")
                .isPositive();
        assertThat(seqs(1)).containsExactly(1L, 2L);
        assertThat(seqOf(1, "first")).isEqualTo(1);
        long early = history.early();
        publishHot(57, 80);
        assertThat(history.early() - early)
                .as("a segment of readable messages and the copy")
                .isEqualTo(11);
        assertThat(seqs(1)).isEmpty();
        assertThat(gone).contains(1);
        assertThat(seqOf(1, "first"))
                .as("the number may belong to another subject now")
                .isEqualTo(-1);
        publish(1, 7, "first");
        publishHot(81, 500);
        assertThat(seqs(1)).containsExactly(7L);
        assertThat(seqOf(1, "first")).isEqualTo(7);
    }

    @Test
    void aTurnCleansABoundedNumberOfMessages() {
        history.close();
        history = new History(3, 1, 1000, 256 << 10, 512 << 10);
        for (int subject = 1; subject <= 10_000; subject++) {
            publish(subject, 1, "");
        }
        long before = history.messages();
        history.clean(2000, gone::add);
        assertThat(before - history.messages()).isLessThanOrEqualTo(2L * Cleaner.STEPS_PER_TURN);
        for (int turn = 0; turn < 100; turn++) {
            history.clean(2000, gone::add);
        }
        assertThat(history.messages()).isZero();
        assertThat(history.isCleaningDue(2000)).isFalse();
        assertThat(gone).hasSize(10_000);
    }
}
