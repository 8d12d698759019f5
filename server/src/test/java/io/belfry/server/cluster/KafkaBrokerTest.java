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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Drives a lane's broker by hand: the loop is the test's thread and the producer is Kafka's mock. */
class KafkaBrokerTest implements Broker.Events {
    private static final long EPOCH = 9;
    private static final long NOW = 1000;

    private final List<String> received = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final Partitions partitions = new Partitions(1, List.of(new Bridge("orders", "id", 3, 1, 1)));
    private final Holes holes = new Holes();
    private final History history = new History(EPOCH, new History.Bounds(100, 1000), 4096, 1 << 20, holes);
    private final LoopCounters counters = new LoopCounters();
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(cluster(), false, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final LogPublisher publisher = new LogPublisher("t", config(), () -> producer, counter -> {});
    private final LogPublisher bridging = new LogPublisher("orders", config(), () -> producer, counter -> {});
    private final KafkaBroker broker = new KafkaBroker(
            new KafkaShared(
                    EPOCH,
                    1,
                    partitions,
                    config(),
                    publisher,
                    Map.of("orders", bridging),
                    publisher,
                    65_536,
                    HeaderConfig.DEFAULT),
            PlayedClusterLane.of(names, this::known, counters, this),
            new Backbone.Cache(history, holes, new Retained(EPOCH, 1000)));

    private static Cluster cluster() {
        Node node = new Node(1, "localhost", 1);
        Node[] nodes = {node};
        return new Cluster(
                "test",
                List.of(node),
                List.of(
                        new PartitionInfo("t", 0, node, nodes, nodes),
                        new PartitionInfo("orders", 0, node, nodes, nodes)),
                java.util.Set.of(),
                java.util.Set.of());
    }

    private static KafkaConfig config() {
        return ConfigLoader.load(
                        Optional.empty(),
                        Map.of(),
                        List.of(
                                "ClusterEngine=kafka",
                                "Kafka.Brokers=localhost:1",
                                "Kafka.Topic=t",
                                "Kafka.RepeatTime=100ms"))
                .kafka()
                .orElseThrow();
    }

    private int known(SubjectKey key) {
        return PlayedClusterLane.known(names, key, broker);
    }

    @AfterEach
    void close() {
        history.close();
    }

    @Override
    public void onMessage(int subject, MessageView message, long receivedNanos) {
        received.add(names.get(subject) + " " + message.seq()
                + (message.prev() == MessageView.NO_PREV ? "" : " after " + message.prev())
                + (message.retained() ? " retained" : "")
                + (message.headersLength() == 0 ? "" : " " + MessageHeaders.of(message)));
    }

    @Override
    public void onAccepted(Publication publication, long seq) {
        received.add("accepted " + publication.commandId() + " at " + seq);
    }

    @Override
    public void onRefused(int subject, Publication publication, Code code, String reason) {
        received.add("refused " + publication.commandId() + " " + code);
    }

    @Override
    public void onTakenBack(int subject) {
        // This test forgets no subjects.
    }

    private void read(long offset, String subject, String id) {
        read(0, offset, subject, id);
    }

    private void read(int leaderEpoch, long offset, String subject, String id) {
        read(
                leaderEpoch,
                offset,
                subject,
                new RecordHeaders(Headers.of(id.isEmpty() ? null : utf8(id), Headers.NOBODY)));
    }

    private void read(long offset, String subject, RecordHeaders headers) {
        read(0, offset, subject, headers);
    }

    private void read(int leaderEpoch, long offset, String subject, RecordHeaders headers) {
        partitions.leaderEpochs().onRecord(0, offset, leaderEpoch);
        read("t", leaderEpoch, offset, subject, headers);
    }

    private void read(String topic, int leaderEpoch, long offset, String subject, RecordHeaders headers) {
        List<ConsumerRecord<byte[], byte[]>> records = List.of(new ConsumerRecord<>(
                topic,
                0,
                offset,
                NOW,
                TimestampType.LOG_APPEND_TIME,
                0,
                0,
                utf8(subject),
                utf8("data"),
                headers,
                Optional.of(leaderEpoch)));
        broker.run(() -> broker.onRecords(records, 0));
        partitions.read(0, offset + 1);
    }

    private void publish(long command, String subject, String id, boolean retain) throws InterruptedException {
        publish(command, subject, Unpooled.wrappedBuffer(utf8(id + "data")), id.length(), retain);
    }

    private void publish(long command, String subject, ByteBuf data, boolean retain) throws InterruptedException {
        publish(command, subject, data, 0, retain);
    }

    private void publish(long command, String subject, ByteBuf buffer, int idLength, boolean retain)
            throws InterruptedException {
        publish(
                subject,
                new Publication()
                        .from(0, 1, command, System.nanoTime())
                        .content(buffer, idLength, buffer.readableBytes() - idLength, 0, idLength, retain));
    }

    private void publish(String subject, Publication publication) throws InterruptedException {
        SubjectKey key = new SubjectKey(1).set(utf8(subject));
        broker.publish(known(key), key, publication, NOW);
        publisher.turn(System.nanoTime());
        if (subject.startsWith("/orders/")) {
            bridging.turn(System.nanoTime());
        }
    }

    @Test
    void eachMessageHasThePreviousSeqOfItsSubject() {
        broker.beginsAt(0, 5);
        read(7, "/a", "");
        read(8, "/b", "");
        read(9, "/a", "");
        read(10, "/a", "");
        assertThat(received).containsExactly("/a 8 after 5", "/b 9 after 5", "/a 10 after 8", "/a 11");
    }

    @Test
    void aPublishIsAcceptedWhenItIsWrittenAndReadBack() throws InterruptedException {
        publish(1, "/a", "", false);
        assertThat(broker.waitingBytes()).isPositive();
        producer.completeNext();
        assertThat(received).isEmpty();
        assertThat(broker.waitingBytes())
                .as("publishes count as waiting until they are read back")
                .isPositive();
        read(0, "/a", "");
        assertThat(received).containsExactly("accepted 1 at 1", "/a 1");
        assertThat(broker.waitingBytes()).isZero();
    }

    @Test
    void aPositionContainsTheLeaderEpochOfItsRecord() throws InterruptedException {
        publish(1, "/a", "", false);
        producer.completeNext();
        read(3, 0, "/a", "");
        publish(2, "/a", "", false);
        read(4, 1, "/a", "");
        producer.completeNext();
        long first = Seqs.of(3, 0);
        long second = Seqs.of(4, 1);
        assertThat(received)
                .containsExactly(
                        "accepted 1 at " + first,
                        "/a " + first + " after 0",
                        "/a " + second + " after " + first,
                        "accepted 2 at " + second);
    }

    @Test
    void aRecordReadBeforeItsAcknowledgementIsAcceptedWithIt() throws InterruptedException {
        for (String id : List.of("id", "")) {
            received.clear();
            long offset = names.size();
            publish(1, "/" + id, id, false);
            read(offset, "/" + id, id);
            producer.completeNext();
            assertThat(received).last().isEqualTo("accepted 1 at " + (offset + 1));
        }
    }

    @Test
    void aForgottenSubjectKeepsItsLatestPosition() {
        broker.beginsAt(0, 5);
        read(7, "/quiet", "");
        for (int i = 8; i < 30; i++) {
            read(i, "/busy" + i, "");
        }
        for (String name : List.copyOf(names)) {
            broker.onForgotten(names.indexOf(name));
        }
        names.clear();
        names.add("/quiet");
        broker.onCreated(0);
        assertThat(broker.seq(0)).isEqualTo(8);
        assertThat(history.reachesBack(8, broker.seq(0), -1)).isTrue();
        assertThat(counters.value(Counter.CLUSTER_QUIET_SUBJECTS)).isEqualTo(23);
    }

    @Test
    void aMessageWrittenByAnotherNodeFirstIsDeliveredOnce() throws InterruptedException {
        publish(1, "/b", "", false);
        publish(2, "/a", "id", false);
        producer.completeNext();
        producer.completeNext();
        read(0, "/a", "id");
        read(1, "/a", "id");
        publish(3, "/a", "id", false);
        assertThat(received).containsExactly("accepted 1 at 1", "/a 1", "accepted 2 at 1", "accepted 3 at 1");
        assertThat(counters.value(Counter.CLUSTER_DUPLICATES)).isEqualTo(1);
        assertThat(counters.value(Counter.PUBLISHES_DUPLICATE)).isEqualTo(2);
    }

    @Test
    void aPositionIsReachedWhenAllRecordsBeforeItAreRead() {
        read(0, "/a", "");
        read(4, "/b", "");
        int a = names.indexOf("/a");
        assertThat(broker.seq(a)).isEqualTo(1);
        assertThat(broker.head(a))
                .as("no message of /a is before the last one of /b")
                .isEqualTo(5);
        assertThat(broker.isReached(a, 5)).isTrue();
        assertThat(broker.isReached(a, 6)).isFalse();
    }

    @Test
    void aRetainedPublishIsAcceptedWhenItIsReadBack() throws InterruptedException {
        publish(1, "/a", "", true);
        producer.completeNext();
        assertThat(received).isEmpty();
        read(0, "/a", new RecordHeaders(producer.history().getFirst().headers()));
        assertThat(received).containsExactly("accepted 1 at 1", "/a 1 retained");
    }

    @Test
    void retainedPublishesOverTheBoundAreRefusedButClearsAreNot() throws InterruptedException {
        ByteBuf large = Unpooled.wrappedBuffer(new byte[600]);
        publish(1, "/a", large, true);
        publish(2, "/b", large, true);
        publish(3, "/b", Unpooled.EMPTY_BUFFER, true);
        assertThat(received)
                .as("even while the first publish is unanswered")
                .containsExactly("refused 2 RETAINED_FULL");
        assertThat(producer.history()).hasSize(2);
    }

    @Test
    void headersOfAMessageAreHeadersOfItsRecord() throws InterruptedException {
        ByteBuf content = Unpooled.buffer().writeBytes(utf8("data"));
        MessageHeaders.write(content, Map.of("id", "mine"));
        publish(
                "/orders/17",
                new Publication()
                        .from(0, 1, 1, System.nanoTime())
                        .content(content, 0, 4, 0, 0, false)
                        .headers(4, content.writerIndex() - 4));
        ProducerRecord<byte[], byte[]> written = producer.history().getFirst();
        assertThat(written.headers().lastHeader("~id").value()).isEqualTo(utf8("mine"));
        assertThat(written.value()).isEqualTo(utf8("data"));
        producer.completeNext();
        read("orders", 3, 0, "17", new RecordHeaders(written.headers()));
        RecordHeaders foreign = new RecordHeaders();
        foreign.add("$user", utf8("forged")).add("lang", utf8("de"));
        read("orders", 3, 1, "17", foreign);
        assertThat(received).containsExactly("accepted 1 at 1", "/orders/17 1 {id=mine}", "/orders/17 2 {lang=de}");
        assertThat(counters.value(Counter.CLUSTER_HEADERS_OMITTED)).isEqualTo(1);
        List<Map<String, String>> stored = new ArrayList<>();
        history.read(names.indexOf("/orders/17"), 0, 10, new MessageView(), NOW, message -> {
            stored.add(MessageHeaders.of(message));
            return true;
        });
        assertThat(stored).containsExactly(Map.of("id", "mine"), Map.of("lang", "de"));
    }

    @Test
    void aSubjectOfABridgeIsAKeyOfItsTopic() throws InterruptedException {
        publish(1, "/orders/17/lines", "", false);
        ProducerRecord<byte[], byte[]> written = producer.history().getFirst();
        assertThat(written.topic()).isEqualTo("orders");
        assertThat(written.partition()).isZero();
        assertThat(written.key()).isEqualTo(utf8("17/lines"));
        assertThat(written.value()).isEqualTo(utf8("data"));
        assertThat(written.headers()).isEmpty();
        producer.completeNext();
        read(0, "/a", "");
        read("orders", 3, 0, "17/lines", new RecordHeaders());
        read("orders", 3, 1, "17/lines", new RecordHeaders(Headers.of(null, 5)));
        assertThat(received)
                .as("topics have independent offsets; the headers of other writers retain nothing")
                .containsExactly("/a 1", "accepted 1 at 1", "/orders/17/lines 1", "/orders/17/lines 2");
    }

    @Test
    void aRetainedPublishToABridgeIsRefused() throws InterruptedException {
        publish(1, "/orders/17", "", true);
        assertThat(received).containsExactly("refused 1 UNSUPPORTED");
        assertThat(producer.history()).isEmpty();
    }
}
