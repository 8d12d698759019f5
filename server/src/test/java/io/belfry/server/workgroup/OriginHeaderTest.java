package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.PublishOrigins;
import io.belfry.protocol.PublishTerms;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that a message has the origin of its publisher, on every way through the lanes, if the publish has a key. */
class OriginHeaderTest {
    private static final String KEY = "0123456789012345678901";
    private static final String TAG = PublishOrigins.of(KEY);

    private static PublishTerms terms(long ttl, Map<String, String> headers) {
        return new PublishTerms(true, null, headers, ttl, KEY);
    }

    @Test
    void everySubscriberGetsTheTagAndNobodyTheKey() {
        for (String kind : List.of("History=memory", "History=disk")) {
            try (Lanes lanes = new Lanes(3, 1, kind)) {
                String subject = lanes.subject(1, 0);
                List<LaneClient> clients = List.of(lanes.connect(0), lanes.connect(1), lanes.connect(2));
                clients.forEach(each -> each.subscribe(subject));
                lanes.settle();
                for (LaneClient each : clients) {
                    each.publish(subject, "x", terms(0, Map.of("k", "v")));
                }
                clients.getFirst().publish(subject, "y");
                lanes.settle();
                LaneClient late = lanes.connect(2);
                late.subscribeWithHistory(subject, 10);
                lanes.settle();
                String origin = "{$origin=" + TAG + ", k=v}";
                assertThat(late.headers().stream().map(Map::toString)).containsExactly(origin, origin, origin, "{}");
                for (LaneClient each : clients) {
                    assertThat(each.headers().stream().map(Map::toString))
                            .containsExactly(origin, origin, origin, "{}");
                }
            }
        }
    }

    @Test
    void theOriginFollowsTheTimeToLive() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient client = lanes.connect();
            client.subscribe("/a");
            lanes.settle();
            client.publish("/a", "x", terms(5000, Map.of("k", "v")));
            lanes.settle();
            assertThat(client.headers().getFirst().toString()).isEqualTo("{$ttl=5000, $origin=" + TAG + ", k=v}");
        }
    }

    @Test
    void aKeyThatBreaksTheRuleIsRefused() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient client = lanes.connect();
            client.subscribe("/a");
            lanes.settle();
            client.publish("/a", "x", new PublishTerms(false, null, Map.of(), 0, "short"));
            lanes.settle();
            assertThat(client.data("/a")).isEmpty();
            assertThat(client.received(event -> event.op().equals("error"))
                            .getFirst()
                            .note())
                    .isEqualTo(Code.BAD_REQUEST.text());
        }
    }
}
