package io.belfry.server.cluster;

import static io.belfry.server.cluster.PlayedClusterLane.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Backbone;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.Publication;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.HeaderConfig;
import io.belfry.server.config.KafkaConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.History;
import io.belfry.server.history.Holes;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Drives nodes by hand over two topics that are lists: which retained messages each node has, and which node stores
 * them.
 */
class RetainedInClusterTest {
    private static final long EPOCH = 9;
    private static final String TOPIC = "t";
    private static final String RETAINED = "t.retained";
    private static final KafkaConfig CONFIG = ConfigLoader.load(
                    Optional.empty(),
                    Map.of(),
                    List.of("ClusterEngine=kafka", "Kafka.Brokers=localhost:1", "Kafka.Topic=" + TOPIC))
            .kafka()
            .orElseThrow();

    /** Longer than any node waits for another node. */
    private static final long LATER = 3 * LaneRetained.MAKE_UP_MILLIS;

    private final List<ProducerRecord<byte[], byte[]>> log = new ArrayList<>();
    private final List<ProducerRecord<byte[], byte[]>> stored = new ArrayList<>();
    private final List<OneNode> nodes = new ArrayList<>();
    private long now = 1000;

    private static Cluster cluster() {
        Node node = new Node(1, "localhost", 1);
        Node[] all = {node};
        List<PartitionInfo> partitions =
                List.of(new PartitionInfo(TOPIC, 0, node, all, all), new PartitionInfo(RETAINED, 0, node, all, all));
        return new Cluster("test", List.of(node), partitions, Set.of(), Set.of());
    }

    private final class OneNode implements Broker.Events {
        private final List<String> names = new ArrayList<>();
        private final List<String> refused = new ArrayList<>();
        private final LoopCounters counters = new LoopCounters();
        private final Partitions partitions = new Partitions(1);
        private final Holes holes = new Holes();
        private final History history = new History(EPOCH, new History.Bounds(100, 1000), 4096, 1 << 20, holes);
        private final Retained retained = new Retained(EPOCH, 1 << 20);
        private final MockProducer<byte[], byte[]> producer =
                new MockProducer<>(cluster(), false, null, new ByteArraySerializer(), new ByteArraySerializer());
        private final MockProducer<byte[], byte[]> keeper =
                new MockProducer<>(cluster(), false, null, new ByteArraySerializer(), new ByteArraySerializer());
        private final LogPublisher publisher = new LogPublisher(TOPIC, CONFIG, () -> producer, counter -> {});
        private final LogPublisher storing = new LogPublisher(RETAINED, CONFIG, () -> keeper, counter -> {});
        private final KafkaShared shared = new KafkaShared(
                EPOCH,
                nodes.size() + 1,
                partitions,
                CONFIG,
                publisher,
                Map.of(),
                storing,
                65_536,
                HeaderConfig.DEFAULT);
        private final KafkaBroker broker = new KafkaBroker(
                shared,
                PlayedClusterLane.of(names, this::known, counters, this),
                new Backbone.Cache(history, holes, retained));
        private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
        private final RetainedTopic topic =
                new RetainedTopic(shared, consumer, List.of(broker), new SubjectKey(1), counter -> {});
        private int read;
        private int readStored;

        private int known(SubjectKey key) {
            return PlayedClusterLane.known(names, key, broker);
        }

        /** Starts the node: it loads the stored messages and computes the offset from which it reads the log. */
        OneNode begin(long cacheBegins, long logBegins) throws IOException {
            TopicPartition partition = new TopicPartition(RETAINED, 0);
            consumer.updateBeginningOffsets(Map.of(partition, 0L));
            consumer.updateEndOffsets(Map.of(partition, (long) stored.size()));
            consumer.schedulePollTask(() -> {
                for (int i = 0; i < stored.size(); i++) {
                    consumer.addRecord(consumed(stored.get(i), i));
                }
            });
            topic.load(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
            readStored = stored.size();
            read = (int) topic.from(0, cacheBegins, logBegins);
            broker.beginsAt(0, read);
            partitions.read(0, read);
            topic.restore();
            return this;
        }

        void publish(String subject, String data) throws InterruptedException {
            byte[] bytes = utf8(data);
            ByteBuf buffer = Unpooled.buffer().writeBytes(bytes);
            MessageHeaders.write(buffer, Map.of("copy", data));
            SubjectKey key = new SubjectKey(1).set(utf8(subject));
            broker.publish(
                    known(key),
                    key,
                    new Publication()
                            .from(0, 1, 1, System.nanoTime())
                            .content(buffer, 0, bytes.length, 0, 0, true)
                            .headers(bytes.length, buffer.writerIndex() - bytes.length),
                    now);
            publisher.turn(System.nanoTime());
            log.addAll(producer.history());
            while (producer.completeNext()) {
                // Completes them one by one.
            }
            producer.clear();
        }

        void readLog() {
            for (; read < log.size(); read++) {
                int at = read;
                broker.run(() -> broker.onRecords(List.of(consumed(log.get(at), at)), 0));
                partitions.read(0, at + 1);
            }
        }

        /** Writes the node's pending retained messages and acknowledges them. */
        void store() throws InterruptedException {
            broker.endTurn(now);
            for (int i = 0; i < 5; i++) {
                storing.turn(System.nanoTime());
                while (keeper.completeNext()) {
                    // Completes them one by one.
                }
            }
            stored.addAll(keeper.history());
            keeper.clear();
        }

        void readStored() {
            TopicPartition partition = new TopicPartition(RETAINED, 0);
            for (; readStored < stored.size(); readStored++) {
                consumer.addRecord(consumed(stored.get(readStored), readStored));
            }
            consumer.updateEndOffsets(Map.of(partition, (long) stored.size()));
            topic.turn(System.nanoTime());
        }

        String has(String subject) {
            MessageView view = new MessageView();
            if (!names.contains(subject) || !retained.show(names.indexOf(subject), view)) {
                return "nothing";
            }
            String data = view.data().toString(view.dataOffset(), view.dataLength(), StandardCharsets.UTF_8);
            assertThat(MessageHeaders.of(view)).isEqualTo(Map.of("copy", data));
            return data + " " + view.seq();
        }

        long unstored() {
            return counters.value(Counter.CLUSTER_RETAINED_UNSTORED);
        }

        @Override
        public void onMessage(int subject, MessageView message, long receivedNanos) {
            assertThat(message.retained()).isTrue();
        }

        @Override
        public void onAccepted(Publication publication, long seq) {
            // This test does not check acceptance.
        }

        @Override
        public void onRefused(int subject, Publication publication, Code code, String reason) {
            refused.add(code.text());
        }

        @Override
        public void onTakenBack(int subject) {
            // This test forgets no subjects.
        }
    }

    private static ConsumerRecord<byte[], byte[]> consumed(ProducerRecord<byte[], byte[]> record, long offset) {
        return new ConsumerRecord<>(
                record.topic(),
                0,
                offset,
                1000 + offset,
                TimestampType.LOG_APPEND_TIME,
                0,
                0,
                record.key(),
                record.value(),
                new RecordHeaders(record.headers()),
                Optional.empty());
    }

    private OneNode node() throws IOException {
        return node(0, 0);
    }

    private OneNode node(long cacheBegins, long logBegins) throws IOException {
        OneNode node = new OneNode();
        nodes.add(node);
        return node.begin(cacheBegins, logBegins);
    }

    @AfterEach
    void close() {
        nodes.forEach(node -> node.history.close());
    }

    private void allRead() {
        nodes.forEach(OneNode::readLog);
    }

    private void allReadStored() {
        nodes.forEach(OneNode::readStored);
    }

    private List<String> storedAs() {
        return stored.stream()
                .map(record -> new String(record.key(), StandardCharsets.UTF_8) + " "
                        + (record.value() == null ? "cleared" : new String(record.value(), StandardCharsets.UTF_8))
                        + " "
                        + Objects.requireNonNull(RetainedRecords.at(consumed(record, 0)))
                                .seq())
                .filter(text -> !text.startsWith("through"))
                .toList();
    }

    @Test
    void everyNodeFollowsTheLogAndThePublishersNodeStores() throws Exception {
        OneNode a = node();
        OneNode b = node();
        a.publish("/s", "one");
        b.publish("/s", "two");
        a.publish("/other", "x");
        a.publish("/other", "");
        allRead();
        for (OneNode each : nodes) {
            assertThat(each.has("/s")).isEqualTo("two 2");
            assertThat(each.has("/other")).isEqualTo("nothing");
            each.store();
        }
        assertThat(storedAs())
                .as("each node stores its own publishes")
                .containsExactly("/s one 1", "/other x 3", "/other cleared 4", "/s two 2");
        allReadStored();
        assertThat(a.unstored() + b.unstored()).isZero();
        now += LATER;
        a.store();
        b.store();
        assertThat(storedAs()).as("no node writes a message again").hasSize(4);
    }

    @Test
    void anotherNodeStoresTheMessagesOfAFailedNode() throws Exception {
        OneNode a = node();
        OneNode b = node();
        a.publish("/s", "one");
        allRead();
        now += 100;
        b.store();
        assertThat(stored).as("the publisher's node goes first").isEmpty();
        now += LATER;
        b.store();
        assertThat(storedAs()).containsExactly("/s one 1");
        assertThat(b.counters.value(Counter.CLUSTER_RETAINED_MADE_UP)).isEqualTo(1);
        b.readStored();
        assertThat(b.unstored()).isZero();
    }

    @Test
    void messagesWrittenInTheWrongOrderAreWrittenAgain() throws Exception {
        OneNode a = node();
        OneNode b = node();
        a.publish("/s", "one");
        b.publish("/s", "two");
        a.publish("/gone", "x");
        b.publish("/gone", "");
        allRead();
        b.store();
        allReadStored();
        a.store();
        assertThat(storedAs()).endsWith("/s one 1", "/gone x 3");
        allReadStored();
        assertThat(b.unstored()).isEqualTo(2);
        now += LATER;
        b.store();
        OneNode next = node(4, 0);
        assertThat(next.has("/s")).isEqualTo("two 2");
        assertThat(next.has("/gone")).isEqualTo("nothing");
        allReadStored();
        assertThat(b.unstored()).isZero();
    }

    @Test
    void aNewNodeRestoresMessagesThatTheLogHasLost() throws Exception {
        OneNode a = node();
        a.publish("/s", "one");
        a.publish("/gone", "x");
        a.publish("/gone", "");
        a.readLog();
        a.store();
        a.readStored();
        a.publish("/s", "two");
        OneNode next = node(3, 3);
        assertThat(next.has("/s")).isEqualTo("one 1");
        assertThat(next.has("/gone")).isEqualTo("nothing");
        assertThat(next.broker.seq(next.names.indexOf("/s")))
                .as("messages before the beginning of the log are missing")
                .isEqualTo(3);
        next.readLog();
        assertThat(next.has("/s")).isEqualTo("two 4");
    }

    /** All nodes stopped before the second write, and the log reaches back further than the cache. */
    @Test
    void aStartReadsTheLogFromTheLastStoredOffset() throws Exception {
        OneNode a = node();
        a.publish("/s", "one");
        a.readLog();
        a.store();
        a.readStored();
        // The first turn requests the end of the log and the next one writes it.
        a.readStored();
        a.store();
        assertThat(stored).hasSize(2);
        assertThat(RetainedRecords.isThrough(consumed(stored.getLast(), 1))).isTrue();
        a.publish("/s", "two");
        a.publish("/t", "new");
        OneNode next = node(3, 0);
        assertThat(next.read).isEqualTo(1);
        next.readLog();
        assertThat(next.has("/s")).isEqualTo("two 2");
        assertThat(next.has("/t")).isEqualTo("new 3");
        now += LATER;
        next.store();
        assertThat(storedAs()).containsExactlyInAnyOrder("/s one 1", "/s two 2", "/t new 3");
    }

    @Test
    void theNoteDoesNotPassUnstoredMessages() throws Exception {
        OneNode a = node();
        a.publish("/s", "one");
        a.publish("/t", "two");
        a.readLog();
        a.readStored();
        a.readStored();
        a.store();
        List<RetainedRecords.At> notes = stored.stream()
                .map(record -> consumed(record, 0))
                .filter(RetainedRecords::isThrough)
                .map(RetainedRecords::at)
                .toList();
        assertThat(notes).containsExactly(new RetainedRecords.At(EPOCH, 0, 0));
    }

    @Test
    void aBusySubjectIsWrittenOncePerPendingWrite() throws Exception {
        OneNode a = node();
        for (int i = 1; i <= 10; i++) {
            a.publish("/s", "m" + i);
            a.readLog();
        }
        a.store();
        assertThat(storedAs()).containsExactly("/s m1 1", "/s m10 10");
        a.readStored();
        assertThat(a.unstored()).isZero();
    }

    @Test
    void aMessageOfAnotherLogIsOlderThanAllOfThisLog() throws Exception {
        stored.add(RetainedRecords.of(
                RETAINED,
                0,
                utf8("/s"),
                new RetainedRecords.At(7, 500, 1),
                utf8("old"),
                List.of(new RecordHeader("copy", utf8("old")))));
        stored.add(RetainedRecords.through(RETAINED, 0, new RetainedRecords.At(7, 500, 1)));
        OneNode a = node();
        assertThat(a.has("/s")).isEqualTo("old 0");
        assertThat(a.unstored()).isZero();
        a.publish("/s", "new");
        a.readLog();
        assertThat(a.has("/s")).isEqualTo("new 1");
    }

    @Test
    void foreignRecordsInTheTopicAreSkipped() throws Exception {
        stored.add(new ProducerRecord<>(RETAINED, 0, utf8("/s"), utf8("theirs")));
        stored.add(RetainedRecords.of(
                RETAINED, 0, utf8("no subject"), new RetainedRecords.At(EPOCH, 1, 1), utf8("x"), List.of()));
        OneNode a = node();
        assertThat(a.has("/s")).isEqualTo("nothing");
        assertThat(a.retained.size()).isZero();
    }
}
