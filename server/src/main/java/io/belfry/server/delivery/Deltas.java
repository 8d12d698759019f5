package io.belfry.server.delivery;

import io.belfry.protocol.DeltaEncoder;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Utf8;
import io.belfry.server.config.DeltaConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Session;
import io.belfry.server.subject.IntColumn;
import io.belfry.server.subject.SubscriberList;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of a lane's sessions that ask for deltas. Owner: the lane's loop.
 *
 * <p>Such subscriptions are in the subject's list of subscribers like others, and in the {@link DeltaGroup} of the subject. The
 * delta from the subject's previous message is made once for the whole group. A session gets it if it has received that message,
 * and otherwise the whole message. Subjects without such subscriptions have no group, and nothing is kept for them.
 */
public final class Deltas {
    /** A delta is sent if it has less than this part of the bytes of the data. */
    private static final int PERCENT = 70;

    private final FanOut fanOut;
    private final SubscriberList subscribers;
    private final LoopCounters counters;
    private final DeltaConfig config;
    private final DeltaEncoder encoder = new DeltaEncoder();
    private final MessageView view = new MessageView().delta(true);
    private final List<DeltaGroup> groups = new ArrayList<>();

    /** For each subject the index of its group plus one, or 0. */
    private final IntColumn groupsAt = new IntColumn();

    private byte[] data = new byte[0];
    private ByteBuf encoded = Unpooled.EMPTY_BUFFER;
    private long bytes;

    /** Creates the lane's part; {@code config} has the lane's share of the memory. */
    public Deltas(FanOut fanOut, SubscriberList subscribers, LoopCounters counters, DeltaConfig config) {
        this.fanOut = fanOut;
        this.subscribers = subscribers;
        this.counters = counters;
        this.config = config;
    }

    /** Returns whether no subscription asks for deltas. */
    public boolean isEmpty() {
        return groups.isEmpty();
    }

    // ---- subscriptions ----

    /** Returns whether the session's subscription to this subject gets deltas. */
    public boolean has(Session session, int subject) {
        DeltaGroup group = groupOf(subject);
        return group != null && group.has(session.slot());
    }

    /** Adds a subscription; no effect if deltas are switched off. */
    public void subscribe(Session session, int subject) {
        if (!config.enabled()) {
            return;
        }
        DeltaGroup group = groupOf(subject);
        if (group == null) {
            group = new DeltaGroup(subject, groups.size());
            groups.add(group);
            groupsAt.set(subject, group.index + 1);
        }
        group.add(session.slot());
    }

    /** Removes a subscription, if it gets deltas. */
    public void unsubscribe(Session session, int subject) {
        DeltaGroup group = groups.isEmpty() ? null : groupOf(subject);
        if (group == null || !group.has(session.slot())) {
            return;
        }
        group.remove(session.slot());
        if (group.isEmpty()) {
            dropBase(group);
            groupsAt.set(subject, 0);
            DeltaGroup last = groups.removeLast();
            if (last.subject != subject) {
                last.index = group.index;
                groups.set(last.index, last);
                groupsAt.set(last.subject, last.index + 1);
            }
        }
    }

    private @Nullable DeltaGroup groupOf(int subject) {
        int at = groupsAt.at(subject);
        return at == 0 ? null : groups.get(at - 1);
    }

    // ---- messages ----

    /** Delivers the message to the sessions that subscribe to its subject by name, to some of them as a delta. */
    public void deliver(int subject, MessageView message) {
        DeltaGroup group = groupOf(subject);
        if (group == null) {
            fanOut.deliver(subject, message);
            return;
        }
        int length = message.dataLength();
        boolean fits = length >= config.bytesMin() && length <= config.bytesMax();
        if (fits) {
            data = length <= data.length ? data : new byte[Math.max(length, 2 * data.length)];
            message.data().getBytes(message.dataOffset(), data, 0, length);
        }
        int count = subscribers.count(subject);
        int[] slots = count == 1 ? new int[] {subscribers.single(subject)} : subscribers.several(subject);
        fanOut.deliver(subject, message, fits ? versions(group, message) : whole(group), slots, count);
        if (group.isEmpty()) {
            return;
        }
        if (fits) {
            keep(group, message);
        } else {
            dropBase(group);
        }
    }

    private DeltaMessage whole(DeltaGroup group) {
        return new DeltaMessage(group, counters, null, false, 0);
    }

    private DeltaMessage versions(DeltaGroup group, MessageView message) {
        // An earlier message to very many sessions may still be recorded, after which they have the base.
        boolean isBaseKnown = group.isBaseKnown() || fanOut.isLarge(subscribers.count(group.subject));
        if (!isBaseKnown || !group.precedes(message)) {
            return whole(group);
        }
        int length = message.dataLength();
        int bytesMax = (int) ((length * (long) PERCENT - 1) / 100);
        int deltaLength = encoder.encode(group.base(), group.baseLength(), data, length, bytesMax);
        if (deltaLength == DeltaEncoder.TOO_LONG) {
            return whole(group);
        }
        counters.increment(Counter.DELTAS_MADE);
        boolean text = Utf8.valid(message.data(), message.dataOffset(), length);
        return new DeltaMessage(group, counters, view(message, deltaLength), text, length - deltaLength);
    }

    @SuppressWarnings("ReferenceEquality") // The encoder replaces its array when it grows.
    private MessageView view(MessageView message, int deltaLength) {
        if (!encoded.hasArray() || encoded.array() != encoder.bytes()) {
            encoded = Unpooled.wrappedBuffer(encoder.bytes());
        }
        return view.subject(message.subject(), message.subjectOffset(), message.subjectLength())
                .data(encoded, 0, deltaLength)
                .headers(message.headers(), message.headersOffset(), message.headersLength())
                .position(message.epoch(), message.epochIndex(), message.seq())
                .time(message.timeMillis())
                .type(message.type())
                .retained(message.retained())
                .prev(message.prev());
    }

    private void keep(DeltaGroup group, MessageView message) {
        int length = message.dataLength();
        if (bytes - group.bytes() + group.bytesFor(length) > config.memoryMax()) {
            counters.increment(Counter.DELTA_BASES_REFUSED);
            dropBase(group);
            return;
        }
        int before = group.bytes();
        group.keep(data, length, message);
        count(group.bytes() - before);
    }

    private void dropBase(DeltaGroup group) {
        count(-group.bytes());
        group.drop();
    }

    private void count(int change) {
        bytes += change;
        counters.add(Counter.DELTA_BASE_BYTES, change);
    }
}
