package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests the checker of the randomised run: it detects each kind of wrong stream and accepts a correct one. */
final class StreamWitnessTest {
    private static final String SUBJECT = "/s";
    private static final long EPOCH = 7;

    private final FaultList faults = new FaultList();
    private final Ledger ledger = new Ledger(faults);
    private final StreamWitness witness =
            new StreamWitness("witness", ledger, faults, (subject, reason) -> !reason.equals("history-gone"), false);
    private final StreamWitness conflating =
            new StreamWitness("conflating", ledger, faults, (subject, reason) -> false, true);

    private static Position at(long seq) {
        return new Position(EPOCH, seq);
    }

    private void onEvent(long seq, long number) {
        onEvent(at(seq), number, MessageType.LIVE);
    }

    private void onEvent(Position at, long number, MessageType type) {
        witness.message(SUBJECT, at, new Numbered(1, number).data(3), type);
    }

    /** Returns the faults of ten correct messages after a change of their list. */
    private List<String> faultsOf(Consumer<List<Long>> change) {
        List<Long> seqs = new ArrayList<>();
        for (long seq = 1; seq <= 10; seq++) {
            seqs.add(seq);
        }
        change.accept(seqs);
        seqs.forEach(seq -> onEvent(seq, seq));
        return faults.first();
    }

    @Test
    void aCompleteStreamHasNoFault() {
        assertThat(faultsOf(seqs -> {})).isEmpty();
        for (long seq = 1; seq <= 10; seq++) {
            ledger.acknowledged(SUBJECT, at(seq), new Numbered(1, seq));
        }
        ledger.settle();
        assertThat(faults.first()).isEmpty();
        assertThat(witness.hasReached(SUBJECT, at(10))).isTrue();
    }

    @Test
    void aMissingMessageIsDetected() {
        assertThat(faultsOf(seqs -> seqs.remove(4))).anyMatch(fault -> fault.contains("lost"));
    }

    @Test
    void aDuplicateMessageIsDetected() {
        assertThat(faultsOf(seqs -> seqs.add(5, 5L))).anyMatch(fault -> fault.contains("duplicate"));
    }

    @Test
    void reorderedMessagesAreDetected() {
        assertThat(faultsOf(seqs -> seqs.set(5, seqs.set(6, 6L)))).anyMatch(fault -> fault.contains("out of order"));
    }

    @Test
    void onlyAGapOfAnAllowedKindIsNoFault() {
        onEvent(1, 1);
        witness.gap(SUBJECT, at(1), at(4), "slow-consumer");
        onEvent(5, 5);
        assertThat(faults.first()).isEmpty();
        witness.gap(SUBJECT, at(5), at(6), "history-gone");
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void aGapWithAWrongStartIsDetected() {
        onEvent(1, 1);
        witness.gap(SUBJECT, at(2), at(4), "slow-consumer");
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void aGapThatEndsTooEarlyIsDetected() {
        onEvent(1, 1);
        witness.gap(SUBJECT, at(1), at(3), "slow-consumer");
        onEvent(5, 5);
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void aMissingGapIsDetected() {
        onEvent(1, 1);
        witness.subscribed(SUBJECT, at(5), Recovery.GAP, true);
        onEvent(2, 2);
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void anUnannouncedEpochIsDetected() {
        onEvent(1, 1);
        onEvent(new Position(EPOCH + 1, 2), 2, MessageType.LIVE);
        assertThat(faults.first()).anyMatch(fault -> fault.contains("epoch"));
    }

    /**
     * The server's positions may be without holes while the publisher's messages are not: the publisher's numbers
     * count.
     */
    @Test
    void aPublishStoredTwiceIsDetected() {
        onEvent(1, 1);
        onEvent(2, 2);
        onEvent(3, 2);
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void aPublishThatWasNotStoredIsDetected() {
        onEvent(1, 1);
        onEvent(2, 3);
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void twoMessagesAtOnePositionAreDetected() {
        onEvent(1, 1);
        ledger.delivered("another", SUBJECT, at(1), new Numbered(2, 1));
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void aSnapshotAfterANewerMessageIsDetected() {
        witness.subscribed(SUBJECT, at(2), Recovery.NONE, false);
        onEvent(at(1), 1, MessageType.SNAPSHOT);
        onEvent(3, 3);
        assertThat(faults.first()).isEmpty();
        onEvent(at(2), 2, MessageType.SNAPSHOT);
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void holesInSeqsAreAcceptedIfNoNumberIsMissing() {
        witness.acceptHolesInSeqs();
        onEvent(1, 1);
        onEvent(5, 2);
        assertThat(faults.first()).isEmpty();
        onEvent(9, 4);
        assertThat(faults.first()).singleElement().asString().contains("after number 2");
        onEvent(8, 5);
        assertThat(faults.first()).anyMatch(fault -> fault.contains("out of order"));
    }

    @Test
    void damagedDataIsDetected() {
        witness.message(SUBJECT, at(1), "1:1:~~x", MessageType.LIVE);
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void anAcknowledgedButLostPublishIsDetected() {
        onEvent(1, 1);
        ledger.acknowledged(SUBJECT, at(1), new Numbered(1, 1));
        ledger.acknowledged(SUBJECT, at(3), new Numbered(1, 3));
        ledger.settle();
        assertThat(faults.first()).isNotEmpty();
    }

    @Test
    void aDeliveryWithoutAcknowledgementIsDetected() {
        onEvent(1, 1);
        ledger.settle();
        assertThat(faults.first()).hasSize(1);
    }

    @Test
    void onePublishAcknowledgedAtTwoPositionsIsDetected() {
        ledger.acknowledged(SUBJECT, at(1), new Numbered(1, 1));
        ledger.acknowledged(SUBJECT, at(2), new Numbered(1, 1));
        ledger.settle();
        assertThat(faults.first()).anyMatch(fault -> fault.contains("another position"));
    }

    @Test
    void aPublishRepeatedInALaterEpochIsAllowed() {
        onEvent(1, 1);
        ledger.acknowledged(SUBJECT, new Position(EPOCH + 1, 1), new Numbered(1, 1));
        ledger.settle();
        assertThat(faults.first()).isEmpty();
    }

    @Test
    void onePublishAcknowledgedInTwoEpochsIsDetected() {
        ledger.acknowledged(SUBJECT, at(1), new Numbered(1, 1));
        ledger.acknowledged(SUBJECT, new Position(EPOCH + 1, 1), new Numbered(1, 1));
        ledger.settle();
        assertThat(faults.first()).anyMatch(fault -> fault.contains("another position"));
    }

    @Test
    void aHoleInTheRecordsIsDetectedAcrossPages() {
        for (long seq = 1; seq <= 300; seq++) {
            if (seq != 130) {
                ledger.acknowledged(SUBJECT, at(seq), new Numbered(1, seq < 130 ? seq : seq - 1));
            }
        }
        ledger.settle();
        assertThat(faults.first()).singleElement().asString().contains("before 7:131");
        assertThat(ledger.ends()).containsEntry(SUBJECT, at(300));
    }

    private void conflated(long seq, MessageType type) {
        conflating.message(SUBJECT, at(seq), new Numbered(1, seq).data(3), type);
    }

    @Test
    void aConflatingStreamMaySkipLiveMessages() {
        conflated(1, MessageType.LIVE);
        conflated(4, MessageType.LIVE);
        conflated(5, MessageType.RECOVERED);
        conflated(9, MessageType.LIVE);
        assertThat(faults.first()).isEmpty();
        assertThat(conflating.conflatedMessages()).isEqualTo(5);
        assertThat(conflating.hasReached(SUBJECT, at(9))).isTrue();
    }

    @Test
    void recoveredMessagesAreNotConflated() {
        conflated(1, MessageType.LIVE);
        conflated(3, MessageType.RECOVERED);
        assertThat(faults.first()).anyMatch(fault -> fault.contains("lost"));
    }

    @Test
    void conflationNeverSendsAnOlderMessageOrADuplicate() {
        conflated(4, MessageType.LIVE);
        conflated(3, MessageType.LIVE);
        assertThat(faults.first()).hasSize(2);
    }

    @Test
    void conflationNeverSendsAnUnpublishedMessage() {
        conflated(1, MessageType.LIVE);
        ledger.acknowledged(SUBJECT, at(5), new Numbered(1, 5));
        conflating.message(SUBJECT, at(5), new Numbered(1, 6).data(3), MessageType.LIVE);
        assertThat(faults.first()).hasSize(1);
    }
}
