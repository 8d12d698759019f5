package io.belfry.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class BridgeTest {
    private static final Bridge ORDERS = new Bridge("orders", "id-1", 11, 4, 3);
    private static final Bridge PRICES = new Bridge("prices.eu", "id-2", 22, 7, 5);
    private final Partitions partitions = new Partitions(4, List.of(ORDERS, PRICES));

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ConsumerRecord<byte[], byte[]> record(String topic, int partition, String key) {
        return new ConsumerRecord<>(
                topic,
                partition,
                7,
                1000,
                TimestampType.CREATE_TIME,
                0,
                0,
                utf8(key),
                utf8("data"),
                new RecordHeaders(),
                Optional.empty());
    }

    @Test
    void aSubjectBelowATopicsNameIsAKeyOfTheTopic() {
        assertThat(partitions.bridgeOf(utf8("/orders/17"))).isEqualTo(ORDERS);
        assertThat(ORDERS.key(utf8("/orders/17/lines/-"))).isEqualTo(utf8("17/lines/-"));
        assertThat(ORDERS.subject(utf8("17/lines/-"))).isEqualTo(utf8("/orders/17/lines/-"));
        assertThat(partitions.bridgeOf(utf8("/prices.eu/x"))).isEqualTo(PRICES);
        for (String ordinary : List.of("/orders", "/orders2/17", "/order/17", "/a/orders/17")) {
            assertThat(partitions.bridgeOf(utf8(ordinary))).as(ordinary).isNull();
        }
    }

    @Test
    void theBridgeUsesThePartitionOfKafkasProducer() {
        for (int i = 0; i < 100; i++) {
            String key = "key-" + i;
            int expected = 7 + BuiltInPartitioner.partitionForKey(utf8(key), 5);
            assertThat(partitions.of(utf8("/prices.eu/" + key))).isEqualTo(expected);
        }
        assertThat(partitions.of(record("prices.eu", 2, "k"))).isEqualTo(9);
        assertThat(partitions.of(record("main", 2, "/k"))).isEqualTo(2);
    }

    @Test
    void positionsOfARecreatedTopicAreAboveTheEarlierOnes() {
        assertThat(partitions.seqOf(4, 0)).isEqualTo(1);
        partitions.read(4, 10);
        long last = partitions.seqOf(4, 9);
        assertThat(partitions.isRead(4, last)).isTrue();
        assertThat(partitions.isRead(4, last + 1)).isFalse();
        partitions.predecessors(ORDERS, 1);
        assertThat(partitions.seqOf(4, 0)).isGreaterThan(last).isLessThan(1L << 53);
        assertThat(partitions.seqOf(6, 0)).isEqualTo(partitions.seqOf(4, 0));
        assertThat(partitions.seqOf(7, 0)).as("another bridge").isEqualTo(1);
        partitions.read(4, 1);
        assertThat(partitions.isRead(4, partitions.seqOf(4, 0))).isTrue();
        assertThat(partitions.isRead(4, partitions.seqOf(4, 1))).isFalse();
    }

    @Test
    void recreationsOfATopicAreCounted() throws Exception {
        Incarnations known = new Incarnations();
        assertThat(known.of(ORDERS)).isZero();
        remember(known, ORDERS, 0);
        assertThat(known.of(ORDERS)).as("the same topic").isZero();
        Bridge anew = new Bridge("orders", "id-3", 33, 4, 3);
        assertThat(known.of(anew)).isEqualTo(1);
        remember(known, anew, 1);
        assertThat(known.of(anew)).isEqualTo(1);
        assertThat(known.of(PRICES)).isZero();
        remember(known, anew, Seqs.LEADER_EPOCH_MAX);
        assertThatThrownBy(() -> known.of(ORDERS)).hasMessageContaining("use another topic name");
    }

    private static void remember(Incarnations known, Bridge bridge, long number) {
        ProducerRecord<byte[], byte[]> written = Incarnations.record("r", bridge, number);
        assertThat(Incarnations.isKey(written.key())).isTrue();
        known.onRecord(written.key(), new RetainedRecords.At(bridge.identity(), number, 0));
    }
}
