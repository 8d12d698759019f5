package io.belfry.server.cluster;

import static io.belfry.server.cluster.PlayedClusterLane.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.server.broker.Backbone;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.HeaderConfig;
import io.belfry.server.config.KafkaConfig;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.History;
import io.belfry.server.history.Holes;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Drives the reader by hand on Kafka's mock consumer: where it begins and what it knows of the log before that. */
class LogReaderTest implements PlayedClusterLane.Reading {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final long EPOCH = 9;

    private final List<String> received = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final Partitions partitions = new Partitions(1);
    private final Holes holes = new Holes();
    private final History history = new History(EPOCH, new History.Bounds(100, 1000), 4096, 1 << 20, holes);
    private final Log log = new Log();
    private final KafkaBroker broker = new KafkaBroker(
            new KafkaShared(EPOCH, 1, partitions, config(), idle(), Map.of(), idle(), 65_536, HeaderConfig.DEFAULT),
            PlayedClusterLane.of(names, this::known, new LoopCounters(), this),
            new Backbone.Cache(history, holes, new Retained(EPOCH, 0)));
    private final LogReader reader = new LogReader(
            new LogReader.Log("t", partitions, 1000),
            log,
            50,
            new NothingBefore(),
            List.of(broker),
            new SubjectKey(1),
            counter -> {},
            broken -> received.add("broken"));

    private static LogPublisher idle() {
        return new LogPublisher(
                "t",
                config(),
                () -> {
                    throw new AssertionError("nothing is published");
                },
                counter -> {});
    }

    private static final class NothingBefore implements LogReader.Before {
        @Override
        public long from(int partition, long begin, long first) {
            return begin;
        }

        @Override
        public void restore() {
            // This test retains nothing.
        }
    }

    /** A mock log that can be searched by time. */
    private static final class Log extends MockConsumer<byte[], byte[]> {
        private long start;

        Log() {
            super("none");
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times) {
            Map<TopicPartition, OffsetAndTimestamp> found = new HashMap<>();
            found.put(PARTITION, start < 0 ? null : new OffsetAndTimestamp(start, 50, Optional.empty()));
            return found;
        }
    }

    private static KafkaConfig config() {
        return ConfigLoader.load(
                        Optional.empty(),
                        Map.of(),
                        List.of("ClusterEngine=kafka", "Kafka.Brokers=localhost:1", "Kafka.Topic=t"))
                .kafka()
                .orElseThrow();
    }

    private int known(SubjectKey key) {
        return PlayedClusterLane.known(names, key, broker);
    }

    private int subject(String name) {
        return known(new SubjectKey(1).set(utf8(name)));
    }

    @AfterEach
    void close() {
        history.close();
    }

    @Override
    public void onMessage(int subject, MessageView message, long receivedNanos) {
        received.add(names.get(subject) + " " + at(message.seq())
                + (message.prev() == MessageView.NO_PREV ? "" : " after " + at(message.prev())));
    }

    private static String at(long seq) {
        return Seqs.leaderEpoch(seq) + "/" + Seqs.end(seq);
    }

    private void log(long first, long start, long end) {
        log.updateBeginningOffsets(Map.of(PARTITION, first));
        log.updateEndOffsets(Map.of(PARTITION, end));
        log.start = start;
    }

    private void add(long offset, int leaderEpoch, String subject) {
        log.addRecord(new ConsumerRecord<>(
                "t",
                0,
                offset,
                1000,
                TimestampType.LOG_APPEND_TIME,
                0,
                0,
                utf8(subject),
                utf8("data"),
                new RecordHeaders(),
                Optional.of(leaderEpoch)));
    }

    private boolean isReady() {
        return reader.caughtUp().getCount() == 0;
    }

    private void read(Runnable adding) {
        log.schedulePollTask(adding);
        reader.turn();
    }

    @Test
    void theRecordBeforeTheStartProvidesItsLeaderEpoch() {
        log(0, 10, 12);
        read(() -> {});
        assertThat(isReady()).isFalse();
        read(() -> {
            add(9, 3, "/old");
            add(10, 3, "/a");
            add(11, 4, "/a");
        });
        assertThat(isReady()).isTrue();
        assertThat(received).containsExactly("/a 3/11", "/a 4/12 after 3/11");
        assertThat(doubt(subject("/old"), new Position(EPOCH, Seqs.of(3, 9)))).isNull();
    }

    private @Nullable Code doubt(int subject, Position position) {
        return broker.doubt(subject, position, broker.isReached(subject, position.seq()));
    }

    @Test
    void anEmptyLogBeginsAtZero() {
        log(0, -1, 0);
        read(() -> {});
        assertThat(isReady()).isTrue();
        read(() -> add(0, 0, "/a"));
        read(() -> add(1, 7, "/b"));
        assertThat(received).containsExactly("/a 0/1", "/b 7/2 after 0/0");
        assertThat(doubt(subject("/b"), new Position(EPOCH, 0))).isNull();
    }

    @Test
    void anExpiredLogIsReadyAtOnceAndProvesNoEarlierPosition() {
        log(40, -1, 40);
        read(() -> {});
        assertThat(isReady()).isTrue();
        assertThat(doubt(subject("/a"), new Position(EPOCH, Seqs.of(5, 20)))).isEqualTo(Code.HISTORY_GONE);
        assertThat(doubt(subject("/a"), new Position(EPOCH, Seqs.of(5, 39)))).isNull();
    }

    @Test
    void aPositionOfALostRecordDiffersFromItsReplacement() {
        log(0, 0, 2);
        read(() -> {});
        read(() -> {
            add(0, 1, "/a");
            add(1, 1, "/a");
            add(2, 2, "/a");
            add(3, 2, "/b");
        });
        int a = subject("/a");
        assertThat(doubt(a, new Position(EPOCH, Seqs.of(1, 1)))).isNull();
        assertThat(doubt(a, new Position(EPOCH, Seqs.of(2, 2)))).isNull();
        assertThat(doubt(a, new Position(EPOCH, Seqs.of(1, 2)))).isEqualTo(Code.LOG_CUT);
        assertThat(doubt(a, new Position(EPOCH, Seqs.of(1, 100))))
                .as("beyond the end of the log")
                .isNotNull();
        assertThat(doubt(a, new Position(EPOCH, Seqs.of(2, 100)))).isEqualTo(Code.EPOCH_CHANGED);
        assertThat(doubt(a, new Position(EPOCH + 1, Seqs.of(2, 2)))).isEqualTo(Code.EPOCH_CHANGED);
        assertThat(broker.seq(a)).as("above all lost positions").isGreaterThan(Seqs.of(1, 1_000_000));
    }

    @Test
    void aLogWhosePositionsOverflowIsNotRead() {
        log(0, 0, 1);
        read(() -> {});
        assertThatThrownBy(() -> read(() -> add(0, Seqs.LEADER_EPOCH_MAX + 1, "/a")))
                .hasMessageContaining("set Kafka.Topic to a new topic");
        assertThat(Seqs.of(Seqs.LEADER_EPOCH_MAX, Seqs.OFFSET_MAX)).isLessThan(Position.MAX);
        assertThat(Seqs.of(0, -1)).isZero();
    }
}
