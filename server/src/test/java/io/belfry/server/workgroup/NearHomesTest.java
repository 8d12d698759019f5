package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests on which lane a subject has its home, and how many calls a message then needs. */
final class NearHomesTest {
    private static final int LANES = 16;
    private static final int MESSAGES = 100;

    private static long callsPerPublish(Lanes lanes, LaneClient publisher, String subject) {
        long before = lanes.level(Counter.LOOP_CALLS);
        for (int i = 0; i < MESSAGES; i++) {
            publisher.publish(subject, "m" + i);
        }
        lanes.settle();
        return (lanes.level(Counter.LOOP_CALLS) - before) / MESSAGES;
    }

    @Test
    void aSubjectHasItsHomeNearItsFirstSubscriber() {
        try (Lanes lanes = new Lanes(LANES, 1)) {
            lanes.connect(5).subscribe("/a");
            lanes.settle();
            lanes.connect(6).subscribe("/a");
            lanes.settle();
            assertThat(lanes.homeOf("/a")).isEqualTo(5);
        }
    }

    @Test
    void aMessageToOneSubscriberIsPassedToAnotherLaneOnceAndItsAnswerOnce() {
        try (Lanes lanes = new Lanes(LANES, 1)) {
            lanes.connect(5).subscribe("/a");
            lanes.settle();
            assertThat(callsPerPublish(lanes, lanes.connect(9), "/a")).isEqualTo(2);
            assertThat(callsPerPublish(lanes, lanes.connect(5), "/a"))
                    .as("publisher, subject and subscriber on one lane")
                    .isZero();
        }
    }

    @Test
    void aSubjectThatWasPublishedFirstHasItsHomeByItsHash() {
        try (Lanes lanes = new Lanes(LANES, 1)) {
            String subject = lanes.subject(7, 0);
            LaneClient publisher = lanes.connect(9);
            publisher.publish(subject, "early");
            lanes.settle();
            LaneClient subscriber = lanes.connect(5);
            subscriber.subscribe(subject);
            lanes.settle();
            assertThat(callsPerPublish(lanes, publisher, subject)).isEqualTo(3);
            assertThat(subscriber.data(subject)).hasSize(MESSAGES);
        }
    }

    @Test
    void aSessionDoesNotGatherManySubjectsOnItsLane() {
        try (Lanes lanes = new Lanes(LANES, 1)) {
            LaneClient service = lanes.connect(5);
            List<String> subjects = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                subjects.add("/service/" + i);
                service.subscribe(subjects.getLast());
            }
            lanes.settle();
            assertThat(subjects)
                    .filteredOn(subject -> lanes.homeOf(subject) == 5)
                    .hasSizeBetween(50, 150);
        }
    }
}
