package io.belfry.server.cluster;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import io.belfry.server.broker.Backbone;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.LogOrder;
import io.belfry.server.broker.MemberEvents;
import io.belfry.server.broker.MemberReports;
import io.belfry.server.broker.Publication;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.History;
import io.belfry.server.history.Holes;
import io.belfry.server.history.NewRecord;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.LongColumn;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.trace.TraceContext;
import io.belfry.server.trace.TraceSpan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The order that several nodes share: that of Kafka's log. A publish is written to the log; this node delivers what it reads
 * back, in the log's order, its own messages like all others. Owner: the lane's loop, except for {@link #run}.
 *
 * <p>A message's seq is derived from its offset. Messages of other subjects lie between two of one subject, so each
 * message carries the seq of its predecessor. The history is this node's cache of what it has read.
 *
 * <p>A publish is accepted when Kafka has stored it and it has been read back. Only then this node knows whether it repeats an
 * earlier message, whose position is then the answer, and its leader epoch, which is part of its position ({@link Seqs}).
 */
final class KafkaBroker implements Broker {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaBroker.class);

    /** A publish in progress, with the session to answer and its subject. Immutable, except for the span of a traced one. */
    private static final class Asker {
        private final int edge;
        private final long session;
        private final long commandId;
        private final long receivedNanos;
        private final byte[] subject;
        private final byte @Nullable [] messageId;
        private final int reserved;
        private final int bytes;
        private final @Nullable TraceSpan span;

        Asker(Publication publication, byte[] subject, byte @Nullable [] messageId, int reserved, int bytes) {
            edge = publication.edge();
            session = publication.session();
            commandId = publication.commandId();
            receivedNanos = publication.receivedNanos();
            this.subject = subject;
            this.messageId = messageId;
            this.reserved = reserved;
            this.bytes = bytes;
            TraceContext trace = publication.trace();
            span = trace == null ? null : trace.start("kafka acknowledgement", TraceSpan.Kind.PRODUCER);
        }

        /** Ends the span: Kafka has answered, or the record was refused before Kafka received it. Any thread. */
        void answered() {
            if (span != null) {
                span.end();
            }
        }

        Publication set(Publication answer) {
            return answer.from(edge, session, commandId, receivedNanos);
        }
    }

    private final KafkaShared shared;
    private final Partitions partitions;
    private final Repeats repeats;
    private final Backbone.Lane lane;
    private final Events events;
    private final LoopCounters counters;
    private final History history;
    private final Holes holes;
    private final Retained retained;
    private final LaneRetained retaining;
    private final SubjectKey key;
    private @Nullable LanePresence presence;
    private @Nullable MemberReports reports;

    /** Receives the messages of presence subjects; null as long as no subject has presence. */
    private @Nullable MemberEvents shown;

    private final LongColumn seqs = new LongColumn();
    private final MessageView view = new MessageView();
    private final NewRecord appended = new NewRecord();
    private final Publication answer = new Publication();

    /** The last seqs of subjects that this lane no longer holds. */
    private final LastSeqs lastSeqs;

    /** By partition: the offset from which on this node has read the log. */
    private final long[] starts;

    /** By partition: the seq of the latest record given to this lane. Written on the loop. */
    private final AtomicLongArray taken;

    private final PartitionOrder order;
    private final HeaderMapping mapping;

    /** Publishes that wait for their record to be read back, by partition and offset. */
    private final Map<Long, Asker> unread = new HashMap<>();

    private long waitingBytes;

    KafkaBroker(KafkaShared shared, Backbone.Lane lane, Backbone.Cache cache) {
        this.shared = shared;
        partitions = shared.partitions();
        this.lane = lane;
        repeats = new Repeats(partitions.total(), shared.config().times().repeatMillis());
        lastSeqs = new LastSeqs(partitions.total(), Math.ceilDiv(shared.config().quietSubjects(), lane.lanes()));
        events = lane.events();
        counters = lane.counters();
        history = cache.history();
        holes = cache.holes();
        retained = cache.retained();
        key = lane.key();
        starts = new long[partitions.total()];
        taken = new AtomicLongArray(partitions.total());
        order = new PartitionOrder(history, partitions, this::partitionOf, taken, starts);
        mapping = new HeaderMapping(shared.headers(), shared.maxMessageSize(), counters);
        retaining = new LaneRetained(shared, lane, retained, taken, mapping);
    }

    /** Runs the task on the lane's loop. Any thread. */
    void run(Runnable task) {
        lane.loop().run(task);
    }

    /** Connects the lane to the exchanges of subscribers and members between nodes. Called before any lane runs. */
    void share(@Nullable LanePresence subscribers, MemberReports members) {
        presence = subscribers;
        reports = members;
    }

    @Override
    public @Nullable MemberReports memberReports() {
        return reports;
    }

    /** Returns the receiver of this broker's events. On the loop. */
    Events events() {
        return events;
    }

    /** Passes the messages of presence subjects to the receiver of members from now on. On the loop. */
    void showMembers() {
        shown = events.members();
    }

    /** Returns the lane's retained messages. On the loop. */
    LaneRetained retaining() {
        return retaining;
    }

    @Override
    public long epoch() {
        return shared.epoch();
    }

    @Override
    public void onCreated(int subject) {
        byte[] name = lane.nameOf().apply(subject);
        long latest = lastSeqs.find(partitions.of(name), name);
        seqs.set(subject, latest);
        holes.onCreated(subject, latest);
    }

    @Override
    public void onForgotten(int subject) {
        history.onForgotten(subject);
        byte[] name = lane.nameOf().apply(subject);
        int before = lastSeqs.size();
        int givenUp = lastSeqs.put(partitions.of(name), name, seqs.at(subject));
        counters.add(Counter.CLUSTER_QUIET_SUBJECTS, lastSeqs.size() - before);
        counters.add(Counter.CLUSTER_QUIET_SUBJECTS_GIVEN_UP, givenUp);
        seqs.set(subject, 0);
    }

    private int partitionOf(int subject) {
        return partitions.of(lane.nameOf().apply(subject));
    }

    // ---- writing to the log ----

    @Override
    public void publish(int subject, SubjectKey name, Publication publication, long nowMillis) {
        byte[] bytes = name.copy();
        int partition = partitions.of(bytes);
        byte[] messageId = publication.idLength() == 0
                ? null
                : ByteBufUtil.getBytes(publication.buffer(), publication.idOffset(), publication.idLength());
        long known = messageId == null ? -1 : repeats.find(partition, bytes, messageId);
        Code refusal = publication.retain() ? refusal(subject, publication, bytes) : null;
        if (known >= 0) {
            counters.increment(Counter.PUBLISHES_DUPLICATE);
            events.onAccepted(publication, known);
        } else if (refusal != null) {
            events.onRefused(subject, publication, refusal, refusal.sentence());
        } else {
            offer(subject, publication, partition, bytes, messageId);
        }
    }

    private @Nullable Code refusal(int subject, Publication publication, byte[] name) {
        return partitions.bridgeOf(name) == null ? retaining.refusal(subject, publication) : Code.UNSUPPORTED;
    }

    private void offer(int subject, Publication publication, int partition, byte[] name, byte @Nullable [] messageId) {
        int reserved = publication.retain() ? retaining.reserve(subject, publication) : 0;
        ProducerRecord<byte[], byte[]> record = record(publication, partition, name, messageId);
        Asker asker = new Asker(publication, name, messageId, reserved, Outgoing.bytesOf(record));
        Outgoing outgoing =
                new Outgoing(record, publication.receivedNanos(), outcome -> hear(asker, partition, outcome));
        if (shared.publisherOf(record.topic()).offer(outgoing)) {
            waitingBytes += outgoing.bytes();
        } else {
            retaining.release(asker.reserved);
            events.onRefused(subject, publication, Code.CLUSTER_FULL, "Kafka.PublishBuffer is full");
        }
    }

    private ProducerRecord<byte[], byte[]> record(
            Publication publication, int partition, byte[] name, byte @Nullable [] messageId) {
        byte[] data = ByteBufUtil.getBytes(publication.buffer(), publication.dataOffset(), publication.dataLength());
        List<Header> headers = Headers.of(messageId, publication.retain() ? shared.node() : Headers.NOBODY);
        Bridge bridge = partitions.bridgeOf(name);
        if (Subjects.isOfServer(name)) {
            headers = Headers.ofServer(headers);
        }
        if (publication.headersLength() > 0) {
            headers = new ArrayList<>(headers);
            HeaderMapping.write(
                    publication.headers(), publication.headersOffset(), publication.headersLength(), headers::add);
        }
        return bridge == null
                ? new ProducerRecord<>(shared.config().topics().log(), partition, null, name, data, headers)
                : new ProducerRecord<>(
                        bridge.topic(), partition - bridge.first(), null, bridge.key(name), data, headers);
    }

    /**
     * Takes the outcome of a publish, on any of Kafka's threads. A success is needed only when the record is read back, and
     * reading wakes the lane anyway. The lane is therefore woken only if the record has been read already, or on a failure.
     */
    private void hear(Asker asker, int partition, Outgoing.Answer outcome) {
        asker.answered();
        lane.loop()
                .leave(
                        () -> onAnswer(asker, partition, outcome),
                        () -> !(outcome instanceof Outgoing.Answer.Written written)
                                || isTaken(partition, written.offset()));
    }

    private void onAnswer(Asker asker, int partition, Outgoing.Answer outcome) {
        switch (outcome) {
            case Outgoing.Answer.Written written -> onWritten(asker, partition, written.offset());
            case Outgoing.Answer.Failed failed -> onFailed(asker, failed);
        }
    }

    private void onWritten(Asker asker, int partition, long offset) {
        if (!isTaken(partition, offset)) {
            unread.put(place(partition, offset), asker);
            return;
        }
        long first = asker.messageId == null ? -1 : repeats.find(partition, asker.subject, asker.messageId);
        long own = partitions.seqOf(partition, offset);
        accept(asker, first < 0 ? own : first, own);
    }

    private void accept(Asker asker, long first, long own) {
        release(asker);
        if (first != own) {
            counters.increment(Counter.PUBLISHES_DUPLICATE);
        }
        events.onAccepted(asker.set(answer), first);
    }

    private void release(Asker asker) {
        waitingBytes -= asker.bytes;
        retaining.release(asker.reserved);
    }

    private void onFailed(Asker asker, Outgoing.Answer.Failed failed) {
        release(asker);
        int subject = lane.known().applyAsInt(key.set(asker.subject));
        events.onRefused(subject, asker.set(answer), failed.code(), failed.reason());
        events.onTakenBack(subject);
    }

    private long place(int partition, long offset) {
        return offset * partitions.total() + partition;
    }

    // ---- reading from the log ----

    /** Called before the first record of a partition: messages up to this seq are not here. */
    void beginsAt(int partition, long seq) {
        lastSeqs.beginsAt(partition, seq);
        starts[partition] = Seqs.end(seq);
        taken.set(partition, seq);
    }

    void onRecords(List<ConsumerRecord<byte[], byte[]>> records, long readNanos) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            try {
                onRecord(record, readNanos);
            } catch (RuntimeException failure) {
                counters.increment(Counter.LOOP_FAILURES);
                LOG.error(
                        "record could not be processed: partition={} offset={}",
                        record.partition(),
                        record.offset(),
                        failure);
            }
        }
        counters.add(Counter.CLUSTER_READ, records.size());
    }

    private void onRecord(ConsumerRecord<byte[], byte[]> record, long readNanos) {
        int partition = partitions.of(record);
        byte[] name = partitions.subjectOf(record);
        long seq = Seqs.of(partitions.leaderEpoch(record), record.offset());
        order.onRecord();
        taken.set(partition, seq);
        byte[] messageId = Headers.messageId(record.headers());
        long first = messageId == null ? seq : repeats.onRecord(partition, name, messageId, seq, record.timestamp());
        Asker waiting = unread.isEmpty() ? null : unread.remove(place(partition, record.offset()));
        if (waiting != null) {
            accept(waiting, first, seq);
        }
        if (first == seq) {
            tell(record, partition, name, seq, readNanos);
        } else {
            counters.increment(Counter.CLUSTER_DUPLICATES);
        }
    }

    private void tell(ConsumerRecord<byte[], byte[]> record, int partition, byte[] name, long seq, long readNanos) {
        ByteBuf data = record.value() == null ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(record.value());
        int subject = lane.known().applyAsInt(key.set(name));
        boolean retain = partition < partitions.count() && Headers.retain(record.headers());
        // Other programs may omit it.
        long time = Math.max(0, record.timestamp());
        long before = seqs.at(subject);
        seqs.set(subject, seq);
        int headersLength = retain && HeaderMapping.isRemoval(record.headers())
                ? mapping.readRemoval()
                : mapping.read(record.headers(), data.readableBytes(), partition < partitions.count());
        history.append(appended.message(subject, seq, time, retain)
                .data(data, data.readerIndex(), data.readableBytes())
                .headers(mapping.block(), 0, headersLength));
        view.data(data, data.readerIndex(), data.readableBytes())
                .headers(mapping.block(), 0, headersLength)
                .position(shared.epoch(), 0, seq)
                .prev(before == seq - 1 ? MessageView.NO_PREV : before)
                .time(time)
                .type(MessageType.LIVE)
                .retained(retain);
        if (retain) {
            retaining.onMessage(subject, name, partition, view, Headers.keeper(record.headers()));
        }
        if (shown != null && Subjects.isPresence(name) && record.value() != null) {
            shown.onMessage(key.set(name), record.value());
        }
        events.onMessage(subject, view, readNanos);
    }

    private boolean isTaken(int partition, long offset) {
        return Seqs.end(taken.get(partition)) > offset;
    }

    @Override
    public void onWatched(SubjectKey subject, boolean now) {
        if (presence != null) {
            presence.onWatched(subject, now);
        }
    }

    @Override
    public void onFollowed(SubjectKey subject, boolean now) {
        if (presence != null) {
            presence.onFollowed(subject, now);
        }
    }

    @Override
    public boolean isFollowedElsewhere(SubjectKey subject) {
        return presence != null && presence.isFollowedElsewhere(subject);
    }

    void onWatchedElsewhere(ByteBuffer subject, boolean now) {
        if (presence != null) {
            presence.onWatchedElsewhere(subject, now, events.isFollowed(key.set(Presence.bytes(subject))));
        }
    }

    void onFollowedElsewhere(ByteBuffer subject, boolean now) {
        if (presence != null) {
            presence.onFollowedElsewhere(subject, now);
            events.onFollowedElsewhere(key.set(Presence.bytes(subject)), now);
        }
    }

    void onStale(boolean stale) {
        events.onStale(stale);
    }

    // ---- queries ----

    @Override
    public void endTurn(long nowMillis) {
        // Publishes are already passed to the publisher's thread.
        retaining.look(nowMillis);
    }

    @Override
    public long waitingBytes() {
        return waitingBytes;
    }

    @Override
    public long seq(int subject) {
        return seqs.at(subject);
    }

    /** Records read of other subjects advance the position too: the later the position, the longer other nodes can recover from it. */
    @Override
    public long head(int subject) {
        return Math.max(seqs.at(subject), taken.get(partitionOf(subject)));
    }

    @Override
    public boolean isReached(int subject, long seq) {
        return seq <= seqs.at(subject) || partitions.isRead(partitionOf(subject), seq);
    }

    @Override
    public void behindMessages(Runnable task) {
        run(task);
    }

    @Override
    public @Nullable Code doubt(int subject, Position position, boolean reached) {
        if (position.epoch() != shared.epoch() || !reached) {
            return Code.EPOCH_CHANGED;
        }
        return order.doubt(partitionOf(subject), position.seq());
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public LogOrder order() {
        return order;
    }

    @Override
    public History history() {
        return history;
    }

    @Override
    public Retained retained() {
        return retained;
    }

    @Override
    public boolean close() {
        history.close();
        return true;
    }
}
