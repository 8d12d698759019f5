package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.PublishTerms;
import io.belfry.server.counter.Counter;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeltasTest {
    private static final String LONG = "the same, ".repeat(100);

    private static LaneClient follow(Lanes lanes, BelfryFormat format, String... subjects) {
        LaneClient client = lanes.connect(0, format);
        client.deltas = true;
        client.subscribe(subjects);
        lanes.settle();
        return client;
    }

    private static List<String> published(Lanes lanes, LaneClient publisher, String subject, int from, int to) {
        List<String> all =
                IntStream.range(from, to).mapToObj(i -> LONG + i + LONG).toList();
        all.forEach(data -> {
            publisher.publish(subject, data);
            lanes.settle();
        });
        return all;
    }

    @Test
    void theFirstMessageIsWholeAndTheNextOnesAreDeltas() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient json = follow(lanes, BelfryFormat.WEBSOCKET_JSON, "/a");
            LaneClient binary = follow(lanes, BelfryFormat.WEBSOCKET_BINARY, "/a");
            LaneClient plain = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON);
            plain.subscribe("/a");
            List<String> all = published(lanes, lanes.connect(0), "/a", 0, 5);
            assertThat(List.of(json, binary, plain))
                    .allSatisfy(client -> assertThat(client.data("/a")).isEqualTo(all));
            assertThat(json.socket.events.deltas.applied).isEqualTo(4);
            assertThat(binary.socket.events.deltas.applied).isEqualTo(4);
            assertThat(plain.socket.events.deltas.applied).isZero();
            assertThat(lanes.level(Counter.DELTAS_MADE)).isEqualTo(4);
            assertThat(lanes.level(Counter.DELTAS_OUT)).isEqualTo(8);
            assertThat(lanes.level(Counter.DELTA_SAVED_BYTES)).isBetween(8 * 1900L, 8 * 2001L);
            assertThat(lanes.level(Counter.DELTA_BASE_BYTES)).isBetween(2001L, 2100L);
        }
    }

    @Test
    void aSubjectThatNobodyFollowsWithDeltasKeepsNothing() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = follow(lanes, BelfryFormat.WEBSOCKET_JSON, "/a");
            published(lanes, lanes.connect(0), "/a", 0, 2);
            client.unsubscribe("/a");
            lanes.settle();
            assertThat(lanes.level(Counter.DELTA_BASE_BYTES)).isZero();
            client.deltas = false;
            client.subscribe("/a");
            lanes.settle();
            published(lanes, lanes.connect(0), "/a", 2, 4);
            assertThat(lanes.level(Counter.DELTA_BASE_BYTES)).isZero();
            assertThat(client.socket.events.deltas.applied).isEqualTo(1);
        }
    }

    @Test
    void smallLargeAndDifferentMessagesAreWhole() {
        try (Lanes lanes = new Lanes(1, 1, "Delta.MaxBytes=500")) {
            LaneClient client = follow(lanes, BelfryFormat.WEBSOCKET_JSON, "/a");
            LaneClient publisher = lanes.connect(0);
            List<String> all = List.of(
                    "a".repeat(63),
                    "a".repeat(63),
                    "a".repeat(64),
                    "a".repeat(64),
                    "0123456789".repeat(30),
                    "a".repeat(500),
                    "a".repeat(501),
                    "a".repeat(500));
            all.forEach(data -> {
                publisher.publish("/a", data);
                lanes.settle();
            });
            assertThat(client.data("/a")).isEqualTo(all);
            assertThat(client.socket.events.deltas.applied).isEqualTo(1);
        }
    }

    @Test
    void aSessionThatLaggedGetsAWholeMessageFirst() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = follow(lanes, BelfryFormat.WEBSOCKET_BINARY, "/a");
            LaneClient other = follow(lanes, BelfryFormat.WEBSOCKET_BINARY, "/a");
            LaneClient publisher = lanes.connect(0);
            published(lanes, publisher, "/a", 0, 2);
            client.stall();
            published(lanes, publisher, "/a", 2, 6);
            client.takeAll();
            lanes.settle();
            published(lanes, publisher, "/a", 6, 9);
            assertThat(client.data("/a")).isEqualTo(other.data("/a")).hasSize(9);
            assertThat(other.socket.events.deltas.applied).isEqualTo(8);
            // The second message; the third is under way when the socket stalls; the last two after a whole one.
            assertThat(client.socket.events.deltas.applied).isBetween(3, 4);
        }
    }

    @Test
    void deltasAreSwitchedOff() {
        try (Lanes lanes = new Lanes(1, 1, "Delta=off")) {
            LaneClient client = follow(lanes, BelfryFormat.WEBSOCKET_JSON, "/a");
            List<String> all = published(lanes, lanes.connect(0), "/a", 0, 3);
            assertThat(client.data("/a")).isEqualTo(all);
            assertThat(lanes.level(Counter.DELTAS_OUT)).isZero();
        }
    }

    @Test
    void theMemoryOfBasesIsLimited() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.DeltaBytes=5000")) {
            LaneClient client = follow(lanes, BelfryFormat.WEBSOCKET_JSON, "/a", "/b", "/c");
            LaneClient publisher = lanes.connect(0);
            List.of("/a", "/b", "/c").forEach(subject -> published(lanes, publisher, subject, 0, 3));
            assertThat(client.socket.events.deltas.applied).isEqualTo(4);
            assertThat(lanes.level(Counter.DELTA_BASES_REFUSED)).isEqualTo(3);
            assertThat(lanes.level(Counter.DELTA_BASE_BYTES)).isBetween(4000L, 5000L);
            client.unsubscribe("/a");
            lanes.settle();
            published(lanes, publisher, "/c", 3, 6);
            assertThat(client.socket.events.deltas.applied).isEqualTo(6);
            client.vanish();
            assertThat(lanes.level(Counter.DELTA_BASE_BYTES)).isZero();
        }
    }

    @Test
    void compressedSessionsGetDeltasInCompressedFrames() {
        try (Lanes lanes = new Lanes(1, 1, "Compression=on", "Compression.MinBytes=64")) {
            LaneClient json = follow(lanes, BelfryFormat.WEBSOCKET_JSON_DEFLATED, "/a");
            LaneClient binary = follow(lanes, BelfryFormat.WEBSOCKET_BINARY_DEFLATED, "/a");
            List<String> all = published(lanes, lanes.connect(0), "/a", 0, 4);
            assertThat(json.data("/a")).isEqualTo(all);
            assertThat(binary.data("/a")).isEqualTo(all);
            assertThat(json.socket.events.deltas.applied).isEqualTo(3);
            assertThat(binary.socket.events.deltas.applied).isEqualTo(3);
        }
    }

    @Test
    void headersBelongToADeltaToo() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = follow(lanes, BelfryFormat.WEBSOCKET_BINARY, "/a");
            LaneClient publisher = lanes.connect(0);
            for (int i = 0; i < 3; i++) {
                publisher.publish("/a", LONG + i, new PublishTerms(false, null, Map.of("n", "" + i)));
                lanes.settle();
            }
            assertThat(client.headers()).containsExactly(Map.of("n", "0"), Map.of("n", "1"), Map.of("n", "2"));
            assertThat(client.socket.events.deltas.applied).isEqualTo(2);
        }
    }

    @Test
    void patternsAndConflationGetWholeMessages() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient pattern = follow(lanes, BelfryFormat.WEBSOCKET_JSON, "/*");
            LaneClient named = follow(lanes, BelfryFormat.WEBSOCKET_JSON, "/a");
            LaneClient conflating = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON);
            conflating.deltas = true;
            conflating.conflate("/a", 1);
            lanes.settle();
            List<String> all = published(lanes, lanes.connect(0), "/a", 0, 3);
            assertThat(named.data("/a")).isEqualTo(all);
            assertThat(named.socket.events.deltas.applied).isEqualTo(2);
            assertThat(pattern.data("/a")).isEqualTo(all);
            assertThat(pattern.socket.events.deltas.applied).isZero();
            assertThat(conflating.socket.events.deltas.applied).isZero();
        }
    }

    @Test
    void messagesToVeryManyAreDeltasToo() {
        try (Lanes lanes = new Lanes(1, 1)) {
            lanes.divideFanOuts();
            List<LaneClient> clients = IntStream.range(0, 20)
                    .mapToObj(i -> follow(
                            lanes, i % 2 == 0 ? BelfryFormat.WEBSOCKET_JSON : BelfryFormat.WEBSOCKET_BINARY, "/a"))
                    .toList();
            LaneClient publisher = lanes.connect(0);
            for (int i = 0; i < 5; i++) {
                publisher.publish("/a", LONG + i);
            }
            lanes.settle();
            assertThat(clients).allSatisfy(client -> {
                assertThat(client.data("/a")).hasSize(5).doesNotHaveDuplicates();
                assertThat(client.socket.events.deltas.applied).isEqualTo(4);
            });
        }
    }

    /** In JSON only text can be a delta. */
    @Test
    void dataThatIsNotUtf8IsADeltaInBinaryOnly() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient json = follow(lanes, BelfryFormat.WEBSOCKET_JSON, "/a");
            LaneClient binary = follow(lanes, BelfryFormat.WEBSOCKET_BINARY, "/a");
            LaneClient publisher = lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY);
            for (int i = 0; i < 3; i++) {
                byte[] data = LONG.getBytes(java.nio.charset.StandardCharsets.UTF_8);
                data[17] = (byte) (0xf0 + i);
                publisher.publish("/a", data);
                lanes.settle();
            }
            assertThat(json.data("/a")).isEqualTo(binary.data("/a")).hasSize(3);
            assertThat(json.socket.events.deltas.applied).isZero();
            assertThat(binary.socket.events.deltas.applied).isEqualTo(2);
        }
    }
}
