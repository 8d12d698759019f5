package io.belfry.client;

import static io.belfry.client.Tracker.Verdict.DELIVER;
import static io.belfry.client.Tracker.Verdict.DELIVER_AFTER_GAP;
import static io.belfry.client.Tracker.Verdict.DROP;
import static io.belfry.protocol.MessageType.HISTORY;
import static io.belfry.protocol.MessageType.LIVE;
import static io.belfry.protocol.MessageType.RECOVERED;
import static io.belfry.protocol.MessageType.SNAPSHOT;
import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import org.junit.jupiter.api.Test;

/** Every message is delivered once and in order, and every gap is announced, from the positions alone. */
class TrackerTest {
    private final Tracker tracker = new Tracker(false);

    private Tracker.Verdict take(MessageType type, long epoch, long seq) {
        return tracker.message(type, epoch, seq, MessageView.NO_PREV);
    }

    private void subscribed(long epoch, long seq) {
        tracker.subscribed(new Position(epoch, seq), Recovery.NONE, false);
    }

    @Test
    void messagesThatFollowEachOtherAreDelivered() {
        subscribed(7, 41);
        assertThat(take(LIVE, 7, 42)).isEqualTo(DELIVER);
        assertThat(take(LIVE, 7, 43)).isEqualTo(DELIVER);
        assertThat(tracker.resumeFrom()).isEqualTo(new Position(7, 43));
    }

    @Test
    void duplicatesAreDropped() {
        subscribed(7, 41);
        take(LIVE, 7, 42);
        assertThat(take(RECOVERED, 7, 42)).isEqualTo(DROP);
        assertThat(take(RECOVERED, 7, 41)).isNotEqualTo(DELIVER_AFTER_GAP);
        assertThat(take(LIVE, 7, 43)).isEqualTo(DELIVER);
    }

    @Test
    void aGapIsDetectedWithItsBounds() {
        subscribed(7, 41);
        assertThat(take(LIVE, 7, 45)).isEqualTo(DELIVER_AFTER_GAP);
        assertThat(tracker.gapFrom()).isEqualTo(new Position(7, 41));
        assertThat(tracker.gapTo()).isEqualTo(new Position(7, 44));
        assertThat(take(LIVE, 7, 46)).isEqualTo(DELIVER);
    }

    @Test
    void conflationSkipsLiveMessagesButNotRecoveredOnes() {
        Tracker conflating = new Tracker(true);
        conflating.subscribed(new Position(7, 41), Recovery.NONE, false);
        assertThat(conflating.message(LIVE, 7, 45, MessageView.NO_PREV)).isEqualTo(DELIVER);
        assertThat(conflating.message(LIVE, 7, 45, MessageView.NO_PREV)).isEqualTo(DROP);
        assertThat(conflating.resumeFrom()).isEqualTo(new Position(7, 45));
        assertThat(conflating.message(RECOVERED, 7, 47, MessageView.NO_PREV)).isEqualTo(DELIVER_AFTER_GAP);
        assertThat(conflating.message(LIVE, 9, 3, MessageView.NO_PREV)).isEqualTo(DELIVER_AFTER_GAP);
    }

    @Test
    void prevShowsThatASkippedSeqIsNoGap() {
        subscribed(7, 41);
        assertThat(tracker.message(LIVE, 7, 60, 41)).isEqualTo(DELIVER);
        assertThat(tracker.message(LIVE, 7, 80, 70)).isEqualTo(DELIVER_AFTER_GAP);
        assertThat(tracker.gapTo()).isEqualTo(new Position(7, 70));
    }

    @Test
    void anotherEpochIsAGap() {
        subscribed(7, 41);
        assertThat(take(LIVE, 9, 5)).isEqualTo(DELIVER_AFTER_GAP);
        assertThat(tracker.gapFrom()).isEqualTo(new Position(7, 41));
        assertThat(tracker.gapTo()).isEqualTo(new Position(9, 4));
        assertThat(take(LIVE, 9, 6)).isEqualTo(DELIVER);
    }

    @Test
    void anAnnouncedGapIsNotDetectedAgain() {
        subscribed(7, 41);
        assertThat(tracker.gap(new Position(7, 57), false)).isTrue();
        assertThat(take(LIVE, 7, 58)).isEqualTo(DELIVER);
        assertThat(tracker.gap(new Position(7, 57), false)).isFalse();
    }

    @Test
    void messagesOfAnAnnouncedGapAreNotDeliveredLater() {
        subscribed(7, 41);
        tracker.gap(new Position(7, 57), false);
        assertThat(take(RECOVERED, 7, 56)).isEqualTo(DROP);
        assertThat(take(LIVE, 7, 57)).isEqualTo(DROP);
        assertThat(take(SNAPSHOT, 7, 55)).as("outside the order").isEqualTo(DELIVER);
        assertThat(take(RECOVERED, 7, 58)).isEqualTo(DELIVER);
    }

    @Test
    void aTruncatedRangeIsAnnouncedEvenIfDelivered() {
        subscribed(7, 41);
        take(LIVE, 7, 42);
        assertThat(tracker.gap(new Position(7, 42), true)).isTrue();
        assertThat(tracker.message(RECOVERED, 7, 90, 40)).isEqualTo(DELIVER);
    }

    @Test
    void deliveryContinuesAfterAGapToANewEpoch() {
        subscribed(7, 41);
        assertThat(tracker.gap(new Position(9, 3), false)).isTrue();
        assertThat(take(RECOVERED, 9, 4)).isEqualTo(DELIVER);
        assertThat(take(LIVE, 9, 5)).isEqualTo(DELIVER);
    }

    @Test
    void historyIsDeliveredBeforeTheSubscribedPosition() {
        tracker.subscribed(new Position(7, 41), Recovery.NONE, true);
        assertThat(take(HISTORY, 7, 40)).isEqualTo(DELIVER);
        assertThat(take(HISTORY, 7, 41)).isEqualTo(DELIVER);
        assertThat(take(LIVE, 7, 42)).isEqualTo(DELIVER);
    }

    @Test
    void interruptedHistoryIsResumedAtItsPosition() {
        tracker.subscribed(new Position(7, 41), Recovery.NONE, true);
        assertThat(tracker.resumeFrom())
                .as("nothing arrived: request the history again")
                .isNull();
        take(HISTORY, 7, 39);
        assertThat(tracker.resumeFrom()).isEqualTo(new Position(7, 39));
        tracker.subscribed(new Position(7, 44), Recovery.COMPLETE, true);
        for (long seq = 40; seq <= 44; seq++) {
            assertThat(take(RECOVERED, 7, seq)).isEqualTo(DELIVER);
        }
        assertThat(tracker.resumeFrom()).isEqualTo(new Position(7, 44));
    }

    @Test
    void historyRequestedAgainShowsTheGapBeforeIt() {
        tracker.subscribed(new Position(7, 41), Recovery.NONE, true);
        tracker.subscribed(new Position(7, 60), Recovery.NONE, true);
        assertThat(take(HISTORY, 7, 51)).isEqualTo(DELIVER_AFTER_GAP);
        assertThat(take(HISTORY, 7, 52)).isEqualTo(DELIVER);
    }

    @Test
    void aSnapshotIsDeliveredOnceAndProvesNothing() {
        subscribed(7, 41);
        assertThat(take(SNAPSHOT, 7, 12)).isEqualTo(DELIVER);
        assertThat(take(SNAPSHOT, 7, 12)).isEqualTo(DROP);
        assertThat(take(LIVE, 7, 42)).isEqualTo(DELIVER);
    }

    @Test
    void withoutASubscriptionAnyFirstMessageIsAccepted() {
        assertThat(take(SNAPSHOT, 7, 12)).isEqualTo(DELIVER);
        assertThat(take(LIVE, 7, 20)).isEqualTo(DELIVER);
        assertThat(take(LIVE, 7, 22)).isEqualTo(DELIVER_AFTER_GAP);
    }

    @Test
    void aNewEpochWithoutRecoveryIsAGap() {
        subscribed(7, 41);
        assertThat(tracker.subscribed(new Position(9, 2), Recovery.NONE, false)).isTrue();
        assertThat(tracker.gapFrom()).isEqualTo(new Position(7, 41));
        assertThat(tracker.gapTo()).isEqualTo(new Position(9, 2));
        assertThat(take(LIVE, 9, 3)).isEqualTo(DELIVER);
    }
}
