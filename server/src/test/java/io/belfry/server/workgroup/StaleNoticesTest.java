package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.server.counter.Counter;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the notices to subscribers of a node that is cut off from its cluster for a while. */
class StaleNoticesTest {
    private final Lanes lanes = new Lanes(1, 1, "CacheSize=10");

    private void stale(boolean stale) {
        lanes.in(0, () -> lanes.lane(0).parts().staleNotices.onStale(stale));
    }

    private static List<String> notices(LaneClient client) {
        return client.received(event -> event.op().equals("stale")).stream()
                .map(ReceivedEvent::note)
                .toList();
    }

    @Test
    void eachSubscriberIsNotifiedOncePerStartAndEndOfAnOutage() {
        try (lanes) {
            List<LaneClient> clients = List.of(
                    lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY),
                    lanes.connect(0, BelfryFormat.WEBSOCKET_JSON),
                    lanes.connect(0, null));
            clients.get(0).subscribe("/a", "/b");
            clients.get(1).subscribe("/a/**");
            clients.get(2).conflate("/a", 100);
            lanes.settle();
            for (int outage = 0; outage < 2; outage++) {
                stale(true);
                stale(true);
                lanes.settle();
                stale(false);
                lanes.settle();
            }
            assertThat(clients)
                    .allSatisfy(
                            client -> assertThat(notices(client)).containsExactly("true", "false", "true", "false"));
            assertThat(lanes.level(Counter.STALE_NOTICES)).isEqualTo(12);
        }
    }

    @Test
    void aClientIsNotifiedWhenItSubscribesDuringAnOutage() {
        try (lanes) {
            LaneClient publisher = lanes.connect(0);
            stale(true);
            LaneClient later = lanes.connect(0);
            publisher.publish("/a", "x");
            later.subscribe("/a");
            later.subscribe("/b");
            lanes.settle();
            assertThat(notices(later)).containsExactly("true");
            stale(false);
            lanes.settle();
            assertThat(notices(later)).containsExactly("true", "false");
            assertThat(notices(publisher)).isEmpty();
        }
    }

    @Test
    void manySubscribersAreNotifiedOverSeveralTurns() {
        try (lanes) {
            List<LaneClient> many = IntStream.range(0, 300)
                    .mapToObj(i -> lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY))
                    .toList();
            many.forEach(client -> client.subscribe("/a"));
            lanes.settle();
            stale(true);
            lanes.step();
            assertThat(many.stream().filter(client -> notices(client).isEmpty()))
                    .hasSizeGreaterThan(100);
            stale(false);
            lanes.settle();
            assertThat(many.stream().map(StaleNoticesTest::notices).distinct())
                    .as("a client with a notice of the outage also has a notice of its end")
                    .containsExactlyInAnyOrder(List.of("true", "false"), List.of());
        }
    }

    @Test
    void aSessionInAReusedSlotIsNotified() {
        try (lanes) {
            LaneClient first = lanes.connect(0);
            first.subscribe("/a");
            lanes.settle();
            stale(true);
            lanes.settle();
            first.vanish();
            LaneClient second = lanes.connect(0);
            assertThat(second.session.slot()).isEqualTo(first.session.slot());
            second.subscribe("/a");
            lanes.settle();
            assertThat(notices(second)).containsExactly("true");
        }
    }
}
