package io.belfry.benchkit.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.measure.DeliveryCheck.Arrival;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DeliveryCheckTest {
    private final Counts counts = new Counts();
    private final DeliveryCheck check = new DeliveryCheck(2);

    @Test
    void anUnbrokenStreamCountsNothing() {
        arrive(1, 2, 3, 4);
        assertCounts(0, 0, 0, 0);
        assertThat(check.distinctMessages(0)).isEqualTo(4);
    }

    @Test
    void aGapCoversOnlyMessagesNotYetReceived() {
        DeliveryCheck check = new DeliveryCheck(1);
        check.subscribed(0, 7, 40);
        assertThat(check.untilGapEnds(0, 7, 45)).isEqualTo(5);
        assertThat(check.untilGapEnds(0, 7, 39)).isZero();
        assertThat(check.untilGapEnds(0, 8, 45)).as("unknown for another epoch").isZero();
        check.gap(0, 7, 45);
        assertThat(check.seq(0)).isEqualTo(45);
    }

    @Test
    void aNumberThatNeverArrivesIsLost() {
        arrive(1, 2, 5);
        assertCounts(2, 0, 0, 0);
    }

    @Test
    void aNumberThatArrivesLateIsReorderedNotLost() {
        arrive(1, 3, 4, 2);
        assertCounts(0, 0, 1, 0);
        assertThat(check.distinctMessages(0)).isEqualTo(4);
    }

    @Test
    void aNumberThatArrivesAgainIsDuplicated() {
        arrive(1, 2, 2, 1, 3);
        assertCounts(0, 2, 0, 0);
        assertThat(check.distinctMessages(0)).isEqualTo(3);
    }

    @Test
    void aRepeatedLateNumberIsReorderedAndDuplicated() {
        arrive(1, 3, 2, 2);
        assertCounts(0, 1, 1, 0);
    }

    @Test
    void numbersBelowTheFirstAreNotLost() {
        arrive(10, 11);
        assertCounts(0, 0, 0, 9);
        arrive(4);
        assertCounts(0, 0, 1, 8);
        arrive(13);
        assertCounts(1, 0, 1, 8);
    }

    @Test
    void numbersMissingAtTheEndMarkAreLost() {
        arrive(1, 2);
        assertThat(end(5, false)).isEqualTo(Arrival.AFTER_A_GAP);
        assertCounts(3, 0, 0, 0);
        arrive(4);
        assertCounts(2, 0, 1, 0);
    }

    @Test
    void anEndMarkAfterTheLastMessageCountsNothing() {
        arrive(1, 2, 3);
        assertThat(end(3, true)).isEqualTo(Arrival.NEXT);
        assertCounts(0, 0, 0, 0);
        assertThat(check.withoutEnd(publisher -> true)).isZero();
    }

    @Test
    void aSecondEndMarkIsDuplicated() {
        arrive(1);
        end(1, true);
        assertThat(end(1, true)).isEqualTo(Arrival.DUPLICATED);
        assertCounts(0, 1, 0, 0);
    }

    @Test
    void aClientSubscribedFromTheStartLosesTheFirstNumbers() {
        arrive(4, 5);
        assertCounts(0, 0, 0, 3);
        end(5, true);
        assertCounts(3, 0, 0, 0);
        assertThat(lost()).containsExactly("0 1-3");
    }

    @Test
    void aClientSubscribedLaterDoesNotLoseTheFirstNumbers() {
        arrive(4, 6);
        end(8, false);
        assertCounts(3, 0, 0, 3);
        assertThat(lost()).containsExactly("0 5-5", "0 7-8");
    }

    @Test
    void aStreamWithoutMessagesIsLostOnlyIfExpected() {
        check.ended(0, 0, 7, false, counts);
        assertCounts(0, 0, 0, 7);
        check.ended(1, 0, 7, true, counts);
        assertCounts(7, 0, 0, 7);
        assertThat(lost()).containsExactly("1 1-7");
    }

    @Test
    void aMissingEndMarkIsCountedIfThePublisherHasEnded() {
        arrive(1, 2);
        assertThat(check.withoutEnd(publisher -> false)).isZero();
        assertThat(check.withoutEnd(publisher -> true)).isEqualTo(1);
    }

    private Arrival end(long last, boolean fromTheStart) {
        return check.ended(0, 0, last, fromTheStart, counts);
    }

    private List<String> lost() {
        List<String> ranges = new ArrayList<>();
        check.forEachLost((slot, publisher, from, to) -> ranges.add(slot + " " + from + "-" + to));
        return ranges;
    }

    @Test
    void eachPublisherAndSubjectIsASeparateStream() {
        check.arrived(0, 0, 1, counts);
        check.arrived(1, 0, 1, counts);
        check.arrived(0, 5, 1, counts);
        check.arrived(1, 5, 1, counts);
        check.arrived(0, 0, 2, counts);
        assertCounts(0, 0, 0, 0);
        assertThat(check.distinctMessages(0)).isEqualTo(3);
        assertThat(check.distinctMessages(1)).isEqualTo(2);
    }

    /** Compares the counts with those of a plain set, for any order. */
    @Test
    void shuffledNumbersWithGapsAndRepeatsAreCounted() {
        Random random = new Random(5);
        for (int round = 0; round < 200; round++) {
            Counts sums = new Counts();
            DeliveryCheck one = new DeliveryCheck(1);
            List<Long> arrivals = new ArrayList<>(LongStream.rangeClosed(1, 100)
                    .filter(n -> random.nextInt(5) != 0)
                    .boxed()
                    .toList());
            arrivals.addAll(arrivals.subList(0, random.nextInt(20)));
            Collections.shuffle(arrivals, random);
            arrivals.addFirst(1L);
            Set<Long> distinct = new HashSet<>(arrivals);
            arrivals.forEach(n -> one.arrived(0, 0, n, sums));
            long highest = Collections.max(arrivals);
            assertThat(sums.of(Count.LOST)).isEqualTo(highest - distinct.size());
            assertThat(sums.of(Count.DUPLICATED)).isEqualTo(arrivals.size() - distinct.size());
            assertThat(one.distinctMessages(0)).isEqualTo(distinct.size());
        }
    }

    @Test
    void aSkippedPositionAfterTheSubscriptionIsMissing() {
        check.subscribed(0, 7, 41);
        check.position(0, 7, 43, 42, counts);
        assertThat(counts.of(Count.POSITIONS_MISSING)).isEqualTo(1);
        check.position(0, 7, 44, 43, counts);
        assertThat(counts.of(Count.POSITIONS_MISSING)).isEqualTo(1);
    }

    @Test
    void aPositionWithAKnownPredecessorMissesNothing() {
        check.subscribed(0, 7, 41);
        check.position(0, 7, 50, 41, counts);
        assertThat(counts.of(Count.POSITIONS_MISSING)).isZero();
    }

    @Test
    void anAnnouncedGapIsNotMissing() {
        check.subscribed(0, 7, 41);
        check.gap(0, 7, 49);
        check.position(0, 7, 50, 49, counts);
        assertThat(counts.of(Count.POSITIONS_MISSING)).isZero();
    }

    @Test
    void aPositionThatDoesNotIncreaseIsRepeated() {
        check.subscribed(0, 7, 41);
        check.position(0, 7, 42, 41, counts);
        check.position(0, 7, 42, 41, counts);
        assertThat(counts.of(Count.POSITIONS_REPEATED)).isEqualTo(1);
    }

    @Test
    void anotherEpochIsCounted() {
        check.subscribed(0, 7, 41);
        check.position(0, 8, 1, 0, counts);
        assertThat(counts.of(Count.EPOCH_CHANGES)).isEqualTo(1);
    }

    private void arrive(long... numbers) {
        for (long number : numbers) {
            check.arrived(0, 0, number, counts);
        }
    }

    private void assertCounts(long lost, long duplicated, long reordered, long beforeFirst) {
        assertThat(counts.of(Count.LOST)).as("lost").isEqualTo(lost);
        assertThat(counts.of(Count.DUPLICATED)).as("duplicated").isEqualTo(duplicated);
        assertThat(counts.of(Count.REORDERED)).as("reordered").isEqualTo(reordered);
        assertThat(counts.of(Count.BEFORE_FIRST)).as("before first").isEqualTo(beforeFirst);
    }
}
