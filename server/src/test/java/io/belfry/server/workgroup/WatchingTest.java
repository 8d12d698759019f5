package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import org.junit.jupiter.api.Test;

/** Tests publishers that watch for the first and the last subscriber of a subject. */
class WatchingTest {
    private static final String ON = "PubSubTightlyCoupled=true";

    @Test
    void aWatcherIsNotifiedOfFirstAndLastSubscribersOnAllLanes() {
        try (Lanes lanes = new Lanes(3, 1, ON)) {
            String subject = lanes.subject(1, 0);
            LaneClient watcher = lanes.connect(0);
            long id = watcher.watch(subject);
            lanes.settle();
            assertThat(watcher.answer(id)).isEqualTo(ReceivedEvent.of("watched", id, subject, "false"));
            LaneClient[] subscribers = {lanes.connect(0), lanes.connect(1), lanes.connect(2)};
            for (LaneClient each : subscribers) {
                each.subscribe(subject);
                lanes.settle();
            }
            for (LaneClient each : subscribers) {
                each.vanish();
                lanes.settle();
            }
            assertThat(watcher.received(event -> event.op().equals("interest")))
                    .extracting(ReceivedEvent::note)
                    .containsExactly("true", "false");
        }
    }

    @Test
    void aWatcherWithoutAnIdReceivesOnlyChanges() {
        try (Lanes lanes = new Lanes(2, 1, ON)) {
            for (int home = 0; home < 2; home++) {
                String subject = lanes.subject(home, 0);
                LaneClient watcher = lanes.connect(0);
                watcher.watchWithoutId(subject);
                lanes.settle();
                assertThat(watcher.ops()).isEmpty();
                lanes.connect(1).subscribe(subject);
                lanes.settle();
                assertThat(watcher.ops()).containsExactly("interest");
            }
        }
    }

    @Test
    void anUnwatchedSubjectIsNotReportedAnyMore() {
        try (Lanes lanes = new Lanes(2, 1, ON)) {
            String subject = lanes.subject(1, 0);
            LaneClient watcher = lanes.connect(0);
            watcher.watch(subject);
            long id = watcher.unwatch(subject);
            lanes.settle();
            lanes.connect(1).subscribe(subject);
            lanes.settle();
            assertThat(watcher.answer(id).op()).isEqualTo("unwatched");
            assertThat(watcher.ops()).doesNotContain("interest");
        }
    }

    @Test
    void aDisconnectedWatcherIsRemoved() {
        try (Lanes lanes = new Lanes(2, 1, ON)) {
            String subject = lanes.subject(1, 0);
            LaneClient watcher = lanes.connect(0);
            watcher.watch(subject);
            lanes.settle();
            watcher.vanish();
            lanes.settle();
            LaneClient next = lanes.connect(0);
            lanes.connect(1).subscribe(subject);
            lanes.settle();
            assertThat(next.ops()).doesNotContain("interest");
            assertThat(lanes.knownSubjects()).isEqualTo(1);
        }
    }

    @Test
    void watchingIsRefusedIfItIsDisabled() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = lanes.connect(0);
            long id = client.watch("/a");
            lanes.settle();
            assertThat(client.answer(id).note()).isEqualTo(Code.UNSUPPORTED.text());
        }
    }
}
