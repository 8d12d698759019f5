package io.belfry.server.cluster;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Backbone;
import io.belfry.server.broker.Publication;
import io.belfry.server.counter.Counter;
import io.belfry.server.history.Retained;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of a lane's subjects, and which of them {@code Kafka.RetainedTopic} lacks. Owner: the lane's
 * loop.
 *
 * <p>The log alone decides what is retained: records with the header {@code retain}, in the log's order. All nodes read it, so
 * all have the same retained messages. The retained topic stores them for longer than the log does. The node that
 * published a message stores it there after reading it back; if that node is gone, another one does so after some
 * seconds. A subject is <em>unstored</em> from the moment its record is read in the log until the same record is read in the
 * retained topic, whichever node wrote it. A record that was stored out of order is stored again.
 */
final class LaneRetained {
    /** Time after which a node stores a message that another node published; up to twice as long, so that one node is first. */
    static final long MAKE_UP_MILLIS = 5000;

    /** Time after which an acknowledged write that was not read back is repeated. */
    private static final long READ_BACK_MILLIS = 10_000;

    private static final long AGAIN_MILLIS = 1000;
    private static final long LOOK_MILLIS = 500;
    private static final long NONE = -1;

    /** Estimated bytes of an entry beside its name: the entry and the record in progress. */
    private static final int OVERHEAD = 256;

    /** A subject whose record in the retained topic is missing or outdated. */
    private static final class Unstored {
        final byte[] name;
        final int partition;

        /** The seq according to the log, and the first of those since the topic was last correct. */
        long wanted = NONE;

        long since = NONE;

        /** The seq read last in the topic while this entry existed. */
        long stored = NONE;

        boolean storedClears;

        long dueMillis;
        boolean underWay;

        Unstored(byte[] name, int partition) {
            this.name = name;
            this.partition = partition;
        }
    }

    private final KafkaShared shared;
    private final Backbone.Lane lane;
    private final Retained retained;

    /** By partition: the seq of the latest record of the log given to this lane. */
    private final AtomicLongArray taken;

    private final HeaderMapping mapping;

    private final Map<ByteBuffer, Unstored> unstored = new HashMap<>();
    private final MessageView view = new MessageView();
    private long unstoredBytes;

    /** Bytes that the publishes in progress will add to the retained messages. */
    private long reservedBytes;

    private long nowMillis;
    private long lookedMillis;

    LaneRetained(
            KafkaShared shared, Backbone.Lane lane, Retained retained, AtomicLongArray taken, HeaderMapping mapping) {
        this.shared = shared;
        this.lane = lane;
        this.retained = retained;
        this.taken = taken;
        this.mapping = mapping;
    }

    // ---- publishing ----

    /** Returns why a retained publish is refused, or null. Each node checks its own publishes only. */
    @Nullable
    Code refusal(int subject, Publication publication) {
        int grows = retained.growth(subject, publication.retainedLength());
        if (publication.dataLength() > 0 && retained.bytes() + reservedBytes + grows > retained.bytesMax()) {
            return Code.RETAINED_FULL;
        }
        return unstoredBytes > shared.config().publishBytes() ? Code.CLUSTER_FULL : null;
    }

    /** Reserves bytes for a publish; returns them for {@link #release} after the answer. */
    int reserve(int subject, Publication publication) {
        int grows = Math.max(0, retained.growth(subject, publication.retainedLength()));
        reservedBytes += grows;
        return grows;
    }

    void release(int reserved) {
        reservedBytes -= reserved;
    }

    // ---- reading from the log ----

    /** Takes a message to retain: keeps it, and stores it if this node is the keeper. */
    void onMessage(int subject, byte[] name, int partition, MessageView message, long keeper) {
        retained.put(subject, message);
        Unstored entry = entry(name, partition);
        entry.wanted = message.seq();
        entry.since = entry.since == NONE ? entry.wanted : entry.since;
        if (entry.stored == entry.wanted) {
            remove(entry);
            return;
        }
        boolean own = keeper == shared.node();
        entry.dueMillis = own ? nowMillis : makeUpMillis();
        if (own && !entry.underWay) {
            store(entry);
        }
    }

    private long makeUpMillis() {
        return nowMillis + MAKE_UP_MILLIS + ThreadLocalRandom.current().nextLong(MAKE_UP_MILLIS);
    }

    private Unstored entry(byte[] name, int partition) {
        Unstored known = unstored.get(ByteBuffer.wrap(name));
        if (known != null) {
            return known;
        }
        Unstored added = new Unstored(name, partition);
        unstored.put(ByteBuffer.wrap(name), added);
        unstoredBytes += OVERHEAD + name.length;
        lane.counters().increment(Counter.CLUSTER_RETAINED_UNSTORED);
        return added;
    }

    private void remove(Unstored entry) {
        unstored.remove(ByteBuffer.wrap(entry.name));
        onRemoved(entry);
    }

    private void onRemoved(Unstored entry) {
        unstoredBytes -= OVERHEAD + entry.name.length;
        lane.counters().add(Counter.CLUSTER_RETAINED_UNSTORED, -1);
    }

    // ---- reading from the retained topic ----

    /** Takes the content of the topic at the start, after its floors and before the first record of the log. */
    void restore(List<StoredRetained> all) {
        for (StoredRetained each : all) {
            byte[] data = each.data();
            if (data != null && data.length > 0) {
                ByteBuf bytes = Unpooled.wrappedBuffer(data);
                long seq = each.at().seqIn(shared.epoch());
                int headersLength = mapping.read(each.record().headers(), data.length, true);
                view.data(bytes, 0, data.length)
                        .headers(mapping.block(), 0, headersLength)
                        .position(shared.epoch(), 0, seq)
                        .time(each.at().time());
                retained.put(known(each.subject()), view);
            }
            long last = each.last().seqIn(shared.epoch());
            onStored(each.subject(), each.partition(), last, each.lastClears());
        }
    }

    private int known(byte[] name) {
        return lane.known().applyAsInt(lane.key().set(name));
    }

    /** Takes a record read in the topic. */
    void onStored(byte[] name, int partition, long seq, boolean clears) {
        Unstored entry = unstored.get(ByteBuffer.wrap(name));
        if (entry == null) {
            if (seq <= taken.get(partition) && isCurrent(name, seq, clears)) {
                return;
            }
            // This lane has not read the log that far yet, or an old record was stored late.
            entry = entry(name, partition);
            entry.dueMillis = makeUpMillis();
        }
        entry.stored = seq;
        entry.storedClears = clears;
        if (entry.wanted == seq) {
            remove(entry);
        }
    }

    /** Returns whether the record agrees with the log. */
    private boolean isCurrent(byte[] name, long seq, boolean clears) {
        int subject = known(name);
        long current = retained.seq(subject);
        lane.events().onTakenBack(subject);
        return clears ? current == NONE : current == seq;
    }

    /** Stores everything again, because the topic was replaced. */
    void storeAll() {
        retained.readAfter(0, Integer.MAX_VALUE, subject -> {
            byte[] name = lane.nameOf().apply(subject);
            Unstored entry = entry(name, shared.partitions().of(name));
            entry.wanted = retained.seq(subject);
            entry.since = entry.since == NONE ? entry.wanted : entry.since;
            entry.dueMillis = makeUpMillis();
            return true;
        });
    }

    // ---- writing to the retained topic ----

    /** Called at the end of a turn. */
    void look(long now) {
        nowMillis = now;
        if (unstored.isEmpty() || now - lookedMillis < LOOK_MILLIS) {
            return;
        }
        lookedMillis = now;
        for (Iterator<Unstored> all = unstored.values().iterator(); all.hasNext(); ) {
            Unstored entry = all.next();
            if (entry.dueMillis > now || entry.underWay) {
                continue;
            }
            if (entry.wanted == NONE && !isBehind(entry)) {
                all.remove();
                onRemoved(entry);
            } else if (entry.wanted != NONE) {
                lane.counters().increment(Counter.CLUSTER_RETAINED_MADE_UP);
                store(entry);
            }
        }
    }

    /** Returns whether the record read in the topic still differs from the log. */
    private boolean isBehind(Unstored entry) {
        if (entry.stored > taken.get(entry.partition)) {
            entry.dueMillis = makeUpMillis();
            return true;
        }
        if (isCurrent(entry.name, entry.stored, entry.storedClears)) {
            return false;
        }
        entry.wanted = taken.get(entry.partition);
        entry.since = entry.wanted;
        return true;
    }

    private void store(Unstored entry) {
        int subject = known(entry.name);
        RetainedRecords.At at = new RetainedRecords.At(shared.epoch(), entry.wanted, nowMillis);
        byte[] data = null;
        List<Header> headers = new ArrayList<>(0);
        if (retained.show(subject, view)) {
            entry.wanted = view.seq();
            at = new RetainedRecords.At(shared.epoch(), view.seq(), view.timeMillis());
            data = ByteBufUtil.getBytes(view.data(), view.dataOffset(), view.dataLength());
            HeaderMapping.write(view.headers(), view.headersOffset(), view.headersLength(), headers::add);
        }
        lane.events().onTakenBack(subject);
        long seq = at.seq();
        Outgoing outgoing = new Outgoing(
                RetainedRecords.of(shared.config().topics().retained(), entry.partition, entry.name, at, data, headers),
                System.nanoTime(),
                answer -> lane.loop().run(() -> onAnswer(entry.name, seq, answer)));
        entry.underWay = shared.storing().offer(outgoing);
        entry.dueMillis = nowMillis + AGAIN_MILLIS;
    }

    private void onAnswer(byte[] name, long seq, Outgoing.Answer answer) {
        Unstored entry = unstored.get(ByteBuffer.wrap(name));
        if (entry == null) {
            return;
        }
        entry.underWay = false;
        if (answer instanceof Outgoing.Answer.Written && seq == entry.wanted) {
            entry.dueMillis = nowMillis + READ_BACK_MILLIS;
        } else if (answer instanceof Outgoing.Answer.Written && entry.dueMillis <= nowMillis + AGAIN_MILLIS) {
            // A later message was read meanwhile, published by this node too.
            store(entry);
        }
    }

    /** Returns by partition the seq up to which everything is stored. */
    long[] storedThrough() {
        long[] through = new long[shared.partitions().count()];
        Arrays.fill(through, Long.MAX_VALUE);
        for (Unstored each : unstored.values()) {
            if (each.wanted != NONE) {
                through[each.partition] = Math.min(through[each.partition], each.since - 1);
            }
        }
        return through;
    }
}
