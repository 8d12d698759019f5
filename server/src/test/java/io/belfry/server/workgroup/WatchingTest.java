package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import org.junit.jupiter.api.Test;

/** Publishers that ask to be told of a subject's first and last subscriber. */
class WatchingTest {
    private static final String ON = "PubSubTightlyCoupled=true";

    @Test
    void aWatcherHearsOfTheFirstAndTheLastSubscriberOfAllLanes() {
        try (Lanes lanes = new Lanes(3, 1, ON)) {
            String subject = lanes.subject(1, 0);
            Client watcher = lanes.connect(0);
            long id = watcher.watch(subject);
            lanes.settle();
            assertThat(watcher.answer(id)).isEqualTo(Heard.of("watched", id, subject, "false"));
            Client[] subscribers = {lanes.connect(0), lanes.connect(1), lanes.connect(2)};
            for (Client each : subscribers) {
                each.subscribe(subject);
                lanes.settle();
            }
            for (Client each : subscribers) {
                each.vanish();
                lanes.settle();
            }
            assertThat(watcher.heard(event -> event.op().equals("interest")))
                    .extracting(Heard::note)
                    .containsExactly("true", "false");
        }
    }

    @Test
    void withoutAnIdAWatcherHearsOfChangesOnly() {
        try (Lanes lanes = new Lanes(2, 1, ON)) {
            for (int home = 0; home < 2; home++) {
                String subject = lanes.subject(home, 0);
                Client watcher = lanes.connect(0);
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
    void whoStopsWatchingHearsNoMore() {
        try (Lanes lanes = new Lanes(2, 1, ON)) {
            String subject = lanes.subject(1, 0);
            Client watcher = lanes.connect(0);
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
    void aWatcherThatIsGoneIsForgotten() {
        try (Lanes lanes = new Lanes(2, 1, ON)) {
            String subject = lanes.subject(1, 0);
            Client watcher = lanes.connect(0);
            watcher.watch(subject);
            lanes.settle();
            watcher.vanish();
            lanes.settle();
            Client next = lanes.connect(0);
            lanes.connect(1).subscribe(subject);
            lanes.settle();
            assertThat(next.ops()).doesNotContain("interest");
            assertThat(lanes.knownSubjects()).isEqualTo(1);
        }
    }

    @Test
    void whereItIsOffWatchingIsRefused() {
        try (Lanes lanes = new Lanes(1, 1)) {
            Client client = lanes.connect(0);
            long id = client.watch("/a");
            lanes.settle();
            assertThat(client.answer(id).note()).isEqualTo(Code.UNSUPPORTED.text());
        }
    }
}
