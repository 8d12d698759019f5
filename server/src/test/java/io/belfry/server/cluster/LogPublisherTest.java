package io.belfry.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.KafkaConfig;
import io.belfry.server.counter.Counter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Drives the publisher by hand: its thread is not started and the producer is Kafka's mock. */
class LogPublisherTest {
    /** Fails its unanswered records when it is closed, as the real producer does. */
    private static final class Producer extends MockProducer<byte[], byte[]> {
        private boolean forgetful;

        Producer() {
            super(cluster(), false, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        private static Cluster cluster() {
            Node node = new Node(1, "localhost", 1);
            Node[] nodes = {node};
            return new Cluster(
                    "test",
                    List.of(node),
                    List.of(new PartitionInfo("t", 0, node, nodes, nodes)),
                    java.util.Set.of(),
                    java.util.Set.of());
        }

        @Override
        public void close(Duration timeout) {
            if (!forgetful && !closed()) {
                super.close(timeout);
                while (errorNext(new TimeoutException("closed"))) {
                    // Completes them one by one.
                }
            }
        }
    }

    private final List<Producer> producers = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final List<Counter> counted = new ArrayList<>();
    private boolean forgetful;
    private final LogPublisher publisher = publisher();

    private LogPublisher publisher() {
        KafkaConfig config = ConfigLoader.load(
                        Optional.empty(),
                        Map.of(),
                        List.of(
                                "ClusterEngine=kafka",
                                "Kafka.Brokers=localhost:1",
                                "Kafka.Topic=t",
                                "Kafka.Partitions=1",
                                "Kafka.RestartPause=1ms",
                                "Kafka.PublishTime=1s",
                                "Kafka.PublishBuffer=64KB"))
                .kafka()
                .orElseThrow();
        return new LogPublisher(
                config.topics().log(),
                config,
                () -> {
                    Producer producer = new Producer();
                    producer.forgetful = forgetful;
                    producers.add(producer);
                    return producer;
                },
                counted::add);
    }

    private boolean offer(String data, long sinceNanos) {
        return publisher.offer(new Outgoing(
                new ProducerRecord<>("t", 0, utf8("/s"), utf8(data)),
                sinceNanos,
                answer -> answers.add(
                        switch (answer) {
                            case Outgoing.Answer.Written written -> data + " at " + written.offset();
                            case Outgoing.Answer.Failed failed -> data + " " + failed.code();
                        })));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void turn(int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            publisher.turn(System.nanoTime());
        }
    }

    /** Offers a record after {@code Kafka.RestartPause}. */
    private void assertIsWrittenByASecondProducer(String data) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(5);
        offer(data, System.nanoTime());
        turn(2);
        producers.getLast().completeNext();
        assertThat(producers).hasSize(2);
        assertThat(answers.getLast()).isEqualTo(data + " at 0");
    }

    private static List<String> data(Producer producer) {
        return producer.history().stream()
                .map(ProducerRecord::value)
                .map(value -> new String(value, StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void aWrittenRecordIsAnsweredWithItsOffset() throws InterruptedException {
        long now = System.nanoTime();
        offer("a", now);
        offer("b", now);
        turn(2);
        producers.getFirst().completeNext();
        producers.getFirst().completeNext();
        assertThat(answers).containsExactly("a at 0", "b at 1");
    }

    @Test
    void aProducerWritesNothingAfterItsFirstFailure() throws InterruptedException {
        long now = System.nanoTime();
        for (String data : List.of("a", "b", "c", "d")) {
            offer(data, now);
        }
        turn(3);
        Producer first = producers.getFirst();
        first.completeNext();
        first.errorNext(new TimeoutException("expired"));
        assertThat(first.closed())
                .as("at once, not at the next turn of the publisher's thread")
                .isTrue();
        assertThat(answers).containsExactlyInAnyOrder("a at 0", "b PUBLISH_UNKNOWN", "c PUBLISH_UNKNOWN");
        turn(1);
        assertThat(answers.getLast())
                .as("a record not sent to the producer yet")
                .isEqualTo("d CLUSTER_UNREACHABLE");
        assertIsWrittenByASecondProducer("e");
        assertThat(counted)
                .containsOnly(Counter.CLUSTER_PRODUCER_RESTARTS, Counter.CLUSTER_PUBLISHES_UNKNOWN)
                .filteredOn(Counter.CLUSTER_PRODUCER_RESTARTS::equals)
                .hasSize(1);
    }

    /** Control of the test above: a producer that is not stopped writes the records after the failed one. */
    @Test
    void aProducerThatIsNotStoppedLeavesAGap() throws InterruptedException {
        forgetful = true;
        long now = System.nanoTime();
        for (String data : List.of("a", "b", "c")) {
            offer(data, now);
        }
        turn(3);
        Producer first = producers.getFirst();
        first.completeNext();
        first.errorNext(new TimeoutException("expired"));
        first.completeNext();
        assertThat(answers).containsExactly("a at 0", "b PUBLISH_UNKNOWN", "c at 2");
    }

    @Test
    void aRecordThatTheProducerRejectsIsRetriedInOrder() throws InterruptedException {
        long now = System.nanoTime();
        offer("a", now);
        offer("b", now);
        publisher.turn(now);
        Producer producer = producers.getFirst();
        producer.sendException = new TimeoutException("no leader");
        turn(1);
        producer.sendException = null;
        turn(2);
        assertThat(data(producer)).containsExactly("a", "b");
        assertThat(answers).isEmpty();
    }

    @Test
    void anUnwritableRecordIsRefusedAlone() throws InterruptedException {
        offer("a", System.nanoTime());
        turn(1);
        Producer producer = producers.getFirst();
        producer.sendException = new RecordTooLargeException("too large");
        offer("b", System.nanoTime());
        turn(1);
        producer.sendException = null;
        offer("c", System.nanoTime());
        turn(1);
        producer.completeNext();
        producer.completeNext();
        assertThat(answers).containsExactly("b CLUSTER_UNREACHABLE", "a at 0", "c at 1");
        assertThat(producer.closed()).isFalse();
    }

    @Test
    void aRecordThatWaitsTooLongIsRefused() throws InterruptedException {
        offer("late", System.nanoTime() - TimeUnit.SECONDS.toNanos(2));
        offer("new", System.nanoTime());
        turn(1);
        assertThat(answers).containsExactly("late CLUSTER_UNREACHABLE");
        assertThat(data(producers.getFirst())).containsExactly("new");
    }

    @Test
    void anUnresponsiveProducerReceivesNoMoreRecords() throws InterruptedException {
        offer("a", System.nanoTime());
        turn(1);
        long later = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1500);
        offer("b", later);
        publisher.turn(later);
        Producer producer = producers.getFirst();
        assertThat(data(producer)).containsExactly("a");
        publisher.turn(later + TimeUnit.MILLISECONDS.toNanos(1100));
        assertThat(answers)
                .as("the record was never sent, so the refusal is certain")
                .containsExactly("b CLUSTER_UNREACHABLE");
        producer.completeNext();
        offer("c", System.nanoTime());
        turn(1);
        assertThat(data(producer)).containsExactly("a", "c");
    }

    @Test
    void aProducerThatGivesNothingUpIsRestarted() throws InterruptedException {
        offer("a", System.nanoTime());
        turn(1);
        long sentNanos = System.nanoTime();
        publisher.turn(sentNanos + TimeUnit.SECONDS.toNanos(49));
        assertThat(answers).isEmpty();
        publisher.turn(sentNanos + TimeUnit.SECONDS.toNanos(51));
        assertThat(producers.getFirst().closed()).isTrue();
        assertThat(answers).containsExactly("a PUBLISH_UNKNOWN");
        assertIsWrittenByASecondProducer("b");
    }

    @Test
    void theBufferIsBounded() {
        long now = System.nanoTime();
        assertThat(offer("x".repeat(40_000), now)).isTrue();
        assertThat(offer("y".repeat(40_000), now)).isFalse();
        assertThat(offer("z", now)).isTrue();
        assertThat(answers).isEmpty();
        assertThat(Code.CLUSTER_FULL.httpStatus()).isEqualTo(503);
    }
}
