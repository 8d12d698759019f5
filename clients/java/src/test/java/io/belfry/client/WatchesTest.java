package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.connection.ClientLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WatchesTest {
    private final ClientLoop loop = new ClientLoop("test", 1 << 16, () -> 42);
    private final RecordedLink link = new RecordedLink();
    private final List<Boolean> received = new ArrayList<>();
    private final Watches watches =
            new Watches(loop, new Delivery(null, 100, new OwnOrigin(), failure -> {}, full -> {}), () -> link);
    private final SubjectWatch watch =
            new SubjectWatch("/a", (subject, subscribers) -> received.add(subscribers), watches::remove);

    @AfterEach
    void close() {
        loop.close();
    }

    @Test
    void aWatchReportsItsFirstStateAndEachChange() {
        watches.add(watch);
        for (boolean state : List.of(false, false, true, true, false)) {
            watches.state("/a", state);
        }
        watches.state("/other", true);
        assertThat(received).containsExactly(false, true, false);
        assertThat(watch.ready()).isCompletedWithValue(false);
    }

    @Test
    void aWatchIsRequestedOnEachLinkUntilItEnds() {
        watches.add(watch);
        watches.requestAll();
        watch.unwatch();
        watches.requestAll();
        watches.state("/a", true);
        assertThat(link.takeSent()).containsExactly("watch /a", "watch /a", "unwatch /a");
        assertThat(received).isEmpty();
    }

    @Test
    void aRefusedWatchEndsWithItsCode() {
        watches.add(watch);
        assertThat(watches.failed("/a", "unsupported", "the key is off", 0)).isTrue();
        assertThat(watch.ready())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(SubscribeException.class);
        watches.requestAll();
        assertThat(link.takeSent()).containsExactly("watch /a");
    }
}
