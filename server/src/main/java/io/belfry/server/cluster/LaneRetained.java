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
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * What is retained of a lane's subjects, and which of it {@code Kafka.RetainedTopic} does not have yet. Owner: the lane's
 * loop.
 *
 * <p>The log alone says what is retained: a record with the header {@code retain}, in the log's order. All nodes read it, so
 * all have the same. The other topic keeps it for as long as it is retained, when the log has it no more. The node that
 * published writes it there as soon as it has read it back; should that node be gone, another makes up for it after some
 * seconds. A subject is <em>unstored</em> from when its record was read in the log until the same is read in that topic,
 * whoever wrote it, and what is written there out of order is written again.
 */
final class LaneRetained {
    /** How long a node waits for another to store what that one published; up to twice as long, so that one does it first. */
    static final long MAKE_UP_MILLIS = 5000;

    /** After so long a write that was told to be done, and was not read, is done again. */
    private static final long READ_BACK_MILLIS = 10_000;

    private static final long AGAIN_MILLIS = 1000;
    private static final long LOOK_MILLIS = 500;
    private static final long NONE = -1;

    /** Beside its name: its entries and the bytes of the record on its way. */
    private static final int OVERHEAD = 256;

    /** One that the topic does not have as it should. */
    private static final class Unstored {
        final byte[] name;
        final int partition;

        /** The seq that the log says, and of those that it said since the topic had the right one, the first. */
        long wanted = NONE;

        long since = NONE;

        /** What was read last in the topic while this entry was here. */
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

    /** By partition: the seq of the latest record of the log that this lane was given. */
    private final AtomicLongArray taken;

    private final Map<ByteBuffer, Unstored> unstored = new HashMap<>();
    private final MessageView view = new MessageView();
    private long unstoredBytes;

    /** By how much the publishes under way will have the retained messages grow. */
    private long reservedBytes;

    private long nowMillis;
    private long lookedMillis;

    LaneRetained(KafkaShared shared, Backbone.Lane lane, Retained retained, AtomicLongArray taken) {
        this.shared = shared;
        this.lane = lane;
        this.retained = retained;
        this.taken = taken;
    }

    // ---- publishing ----

    /** Why it cannot be published to be retained, or null. Each node asks for its own publishes only. */
    @Nullable
    Code refusal(int subject, Publication publication) {
        int grows = retained.growth(subject, publication.dataLength());
        if (publication.dataLength() > 0 && retained.bytes() + reservedBytes + grows > retained.bytesMax()) {
            return Code.RETAINED_FULL;
        }
        return unstoredBytes > shared.config().publishBytes() ? Code.CLUSTER_FULL : null;
    }

    /** Answers the bytes to {@link #release} when the publish was answered. */
    int reserve(int subject, Publication publication) {
        int grows = Math.max(0, retained.growth(subject, publication.dataLength()));
        reservedBytes += grows;
        return grows;
    }

    void release(int reserved) {
        reservedBytes -= reserved;
    }

    // ---- from the log ----

    /** A message to be retained: kept here, and stored by this node if it is the keeper. */
    void onMessage(int subject, byte[] name, int partition, MessageView message, long keeper) {
        retained.put(
                subject,
                message.seq(),
                message.timeMillis(),
                message.data(),
                message.dataOffset(),
                message.dataLength());
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

    // ---- from the topic ----

    /** What the topic had at the start; before the first record of the log, but after its floors. */
    void restore(List<RetainedTopic.Stored> all) {
        for (RetainedTopic.Stored each : all) {
            byte[] data = each.data();
            if (data != null && data.length > 0) {
                ByteBuf bytes = Unpooled.wrappedBuffer(data);
                long seq = each.at().seqIn(shared.epoch());
                retained.put(known(each.subject()), seq, each.at().time(), bytes, 0, data.length);
            }
            long last = each.last().seqIn(shared.epoch());
            onStored(each.subject(), each.partition(), last, each.lastClears());
        }
    }

    private int known(byte[] name) {
        return lane.known().applyAsInt(lane.key().set(name));
    }

    /** The topic was read to say this of a subject. */
    void onStored(byte[] name, int partition, long seq, boolean clears) {
        Unstored entry = unstored.get(ByteBuffer.wrap(name));
        if (entry == null) {
            if (seq <= taken.get(partition) && isCurrent(name, seq, clears)) {
                return;
            }
            // The log here is not as far yet; or something old was written late.
            entry = entry(name, partition);
            entry.dueMillis = makeUpMillis();
        }
        entry.stored = seq;
        entry.storedClears = clears;
        if (entry.wanted == seq) {
            remove(entry);
        }
    }

    /** Whether this is what the log says. */
    private boolean isCurrent(byte[] name, long seq, boolean clears) {
        int subject = known(name);
        long current = retained.seq(subject);
        lane.events().onTakenBack(subject);
        return clears ? current == NONE : current == seq;
    }

    /** The topic is not what it was: everything has to be stored in it again. */
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

    // ---- towards the topic ----

    /** At the end of a turn. */
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

    /** Whether what was read in the topic is still not what the log says. */
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
        if (retained.show(subject, view)) {
            entry.wanted = view.seq();
            at = new RetainedRecords.At(shared.epoch(), view.seq(), view.timeMillis());
            data = ByteBufUtil.getBytes(view.data(), view.dataOffset(), view.dataLength());
        }
        lane.events().onTakenBack(subject);
        long seq = at.seq();
        Outgoing outgoing = new Outgoing(
                RetainedRecords.of(shared.config().retainedTopic(), entry.partition, entry.name, at, data),
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
            // A later one came meanwhile, of this node too.
            store(entry);
        }
    }

    /** By partition: what is unstored begins behind this seq of the log. */
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
