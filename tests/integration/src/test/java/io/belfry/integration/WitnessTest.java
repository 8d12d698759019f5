package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the randomised run rests on: each kind of wrong stream is seen to be wrong, and a right one is not. */
final class WitnessTest {
    private static final String SUBJECT = "/s";
    private static final long EPOCH = 7;

    private final Faults faults = new Faults();
    private final Ledger ledger = new Ledger(faults);
    private final Witness witness =
            new Witness("witness", ledger, faults, (subject, reason) -> !reason.equals("history-gone"), false);
    private final Witness conflating = new Witness("conflating", ledger, faults, (subject, reason) -> false, true);

    private static Position at(long seq) {
        return new Position(EPOCH, seq);
    }

    private void hear(long seq, long number) {
        hear(at(seq), number, MessageType.LIVE);
    }

    private void hear(Position at, long number, MessageType type) {
        witness.message(SUBJECT, at, new Numbered(1, number).data(3), type);
    }

    /** Ten messages as they should come, but for what is done to the list. */
    private List<String> faultsOf(Consumer<List<Long>> change) {
        List<Long> seqs = new ArrayList<>();
        for (long seq = 1; seq <= 10; seq++) {
            seqs.add(seq);
        }
        change.accept(seqs);
        seqs.forEach(seq -> hear(seq, seq));
        return faults.told();
    }

    @Test
    void aWholeStreamHasNoFault() {
        assertThat(faultsOf(seqs -> {})).isEmpty();
        for (long seq = 1; seq <= 10; seq++) {
            ledger.acknowledged(SUBJECT, at(seq), new Numbered(1, seq));
        }
        ledger.settle();
        assertThat(faults.told()).isEmpty();
        assertThat(witness.hasReached(SUBJECT, at(10))).isTrue();
    }

    @Test
    void aMessageThatIsMissingIsSeen() {
        assertThat(faultsOf(seqs -> seqs.remove(4))).anyMatch(fault -> fault.contains("lost"));
    }

    @Test
    void aMessageThatComesTwiceIsSeen() {
        assertThat(faultsOf(seqs -> seqs.add(5, 5L))).anyMatch(fault -> fault.contains("doubled"));
    }

    @Test
    void messagesThatChangePlacesAreSeen() {
        assertThat(faultsOf(seqs -> seqs.set(5, seqs.set(6, 6L)))).anyMatch(fault -> fault.contains("out of order"));
    }

    @Test
    void anAnnouncedGapOfAnAllowedKindIsNoFaultAndAnotherIs() {
        hear(1, 1);
        witness.gap(SUBJECT, at(1), at(4), "slow-consumer");
        hear(5, 5);
        assertThat(faults.told()).isEmpty();
        witness.gap(SUBJECT, at(5), at(6), "history-gone");
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void aGapThatDoesNotBeginWhereTheStreamWasIsSeen() {
        hear(1, 1);
        witness.gap(SUBJECT, at(2), at(4), "slow-consumer");
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void aGapThatEndsBeforeTheNextMessageIsSeen() {
        hear(1, 1);
        witness.gap(SUBJECT, at(1), at(3), "slow-consumer");
        hear(5, 5);
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void aPromisedGapThatDoesNotComeIsSeen() {
        hear(1, 1);
        witness.subscribed(SUBJECT, at(5), Recovery.GAP, true);
        hear(2, 2);
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void anotherEpochWithoutAGapIsSeen() {
        hear(1, 1);
        hear(new Position(EPOCH + 1, 2), 2, MessageType.LIVE);
        assertThat(faults.told()).anyMatch(fault -> fault.contains("epoch"));
    }

    /** The server's order may be whole where the publisher's messages are not: it is the publisher's numbers that count. */
    @Test
    void aPublishThatWasKeptTwiceIsSeenThoughNoPositionIsMissing() {
        hear(1, 1);
        hear(2, 2);
        hear(3, 2);
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void aPublishThatWasNotKeptIsSeenThoughNoPositionIsMissing() {
        hear(1, 1);
        hear(2, 3);
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void twoWhoAreToldDifferentMessagesAtOnePositionAreSeen() {
        hear(1, 1);
        ledger.delivered("another", SUBJECT, at(1), new Numbered(2, 1));
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void aSnapshotAfterANewerMessageIsSeen() {
        witness.subscribed(SUBJECT, at(2), Recovery.NONE, false);
        hear(at(1), 1, MessageType.SNAPSHOT);
        hear(3, 3);
        assertThat(faults.told()).isEmpty();
        hear(at(2), 2, MessageType.SNAPSHOT);
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void dataThatWasDamagedIsSeen() {
        witness.message(SUBJECT, at(1), "1:1:~~x", MessageType.LIVE);
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void whatWasAcknowledgedAndIsNowhereIsSeen() {
        hear(1, 1);
        ledger.acknowledged(SUBJECT, at(1), new Numbered(1, 1));
        ledger.acknowledged(SUBJECT, at(3), new Numbered(1, 3));
        ledger.settle();
        assertThat(faults.told()).isNotEmpty();
    }

    @Test
    void whatWasDeliveredAndNeverAcknowledgedIsSeen() {
        hear(1, 1);
        ledger.settle();
        assertThat(faults.told()).hasSize(1);
    }

    @Test
    void onePublishAcknowledgedAtTwoPositionsIsSeen() {
        ledger.acknowledged(SUBJECT, at(1), new Numbered(1, 1));
        ledger.acknowledged(SUBJECT, at(2), new Numbered(1, 1));
        assertThat(faults.told()).isNotEmpty();
    }

    private void conflated(long seq, MessageType type) {
        conflating.message(SUBJECT, at(seq), new Numbered(1, seq).data(3), type);
    }

    @Test
    void whoConflatesMayHaveLiveMessagesStepOverOthers() {
        conflated(1, MessageType.LIVE);
        conflated(4, MessageType.LIVE);
        conflated(5, MessageType.RECOVERED);
        conflated(9, MessageType.LIVE);
        assertThat(faults.told()).isEmpty();
        assertThat(conflating.steppedOver()).isEqualTo(5);
        assertThat(conflating.hasReached(SUBJECT, at(9))).isTrue();
    }

    @Test
    void whatIsRecoveredIsNotConflated() {
        conflated(1, MessageType.LIVE);
        conflated(3, MessageType.RECOVERED);
        assertThat(faults.told()).anyMatch(fault -> fault.contains("lost"));
    }

    @Test
    void whoConflatesIsNotGivenAnOlderMessageOrOneTwice() {
        conflated(4, MessageType.LIVE);
        conflated(3, MessageType.LIVE);
        assertThat(faults.told()).hasSize(2);
    }

    @Test
    void whoConflatesIsNotGivenAMessageThatNobodyPublished() {
        conflated(1, MessageType.LIVE);
        ledger.acknowledged(SUBJECT, at(5), new Numbered(1, 5));
        conflating.message(SUBJECT, at(5), new Numbered(1, 6).data(3), MessageType.LIVE);
        assertThat(faults.told()).hasSize(1);
    }
}
