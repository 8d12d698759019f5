package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.server.counter.Counter;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompressingTest {
    private static final String LONG = "the same, ".repeat(100);

    @Test
    void aMessageIsCompressedOncePerLaneAndEncoding() {
        try (Lanes lanes = new Lanes(2, 1, "Compression=on")) {
            List<LaneClient> clients = List.of(
                    lanes.connect(0, BelfryFormat.WEBSOCKET_JSON_DEFLATED),
                    lanes.connect(0, BelfryFormat.WEBSOCKET_JSON_DEFLATED),
                    lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY_DEFLATED),
                    lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY_DEFLATED),
                    lanes.connect(1, BelfryFormat.WEBSOCKET_BINARY_DEFLATED),
                    lanes.connect(0, BelfryFormat.WEBSOCKET_JSON));
            clients.forEach(client -> client.subscribe("/a"));
            lanes.settle();
            LaneClient publisher = lanes.connect(1);
            publisher.publish("/a", LONG);
            publisher.publish("/a", "short");
            lanes.settle();
            assertThat(clients)
                    .allSatisfy(client -> assertThat(client.data("/a")).containsExactly(LONG, "short"));
            assertThat(lanes.level(Counter.MESSAGES_COMPRESSED)).isEqualTo(3);
            assertThat(lanes.level(Counter.COMPRESSION_SAVED_BYTES)).isBetween(2400L, 3200L);
            assertThat(clients.stream().map(client -> client.socket.compressed)).containsExactly(1, 1, 1, 1, 1, 0);
        }
    }

    @Test
    void aSubjectMayExcludeItsMessagesFromCompression() {
        try (Lanes lanes = new Lanes(1, 1, "Compression=on", "Subjects.1=/images/* compression=no")) {
            LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY_DEFLATED);
            client.subscribe("/images/1", "/a");
            lanes.settle();
            LaneClient publisher = lanes.connect(0);
            publisher.publish("/images/1", LONG);
            publisher.publish("/a", LONG);
            lanes.settle();
            assertThat(client.data("/images/1")).containsExactly(LONG);
            assertThat(client.data("/a")).containsExactly(LONG);
            assertThat(lanes.level(Counter.MESSAGES_COMPRESSED)).isEqualTo(1);
            lanes.lane(0)
                    .reconfigure(Lanes.config(1, "Compression=on"), new io.belfry.server.entitlement.OpenEntitlement());
            lanes.settle();
            publisher.publish("/images/1", LONG);
            lanes.settle();
            assertThat(lanes.level(Counter.MESSAGES_COMPRESSED)).isEqualTo(2);
        }
    }

    @Test
    void messagesReadFromTheHistoryAreNotCompressed() {
        try (Lanes lanes = new Lanes(1, 1, "Compression=on")) {
            LaneClient publisher = lanes.connect(0);
            publisher.publish("/a", LONG);
            lanes.settle();
            LaneClient reader = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON_DEFLATED);
            reader.subscribeWithHistory("/a", 10);
            lanes.settle();
            assertThat(reader.data("/a")).containsExactly(LONG);
            assertThat(reader.socket.compressed).isZero();
        }
    }

    @Test
    void aSlowSessionReceivesWholeCompressedMessages() {
        try (Lanes lanes = new Lanes(1, 1, "Compression=on")) {
            LaneClient slow = lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY_DEFLATED);
            slow.subscribe("/a");
            lanes.settle();
            slow.socket.stallAfter(30);
            LaneClient publisher = lanes.connect(0);
            for (int i = 0; i < 20; i++) {
                publisher.publish("/a", LONG + i);
                lanes.settle();
            }
            slow.takeAll();
            lanes.settle();
            publisher.publish("/a", LONG + 20);
            lanes.settle();
            assertThat(slow.seqs("/a")).hasSize(21).isSorted().doesNotHaveDuplicates();
            assertThat(slow.data("/a").getLast()).isEqualTo(LONG + 20);
        }
    }
}
