package io.belfry.client;

import io.belfry.protocol.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The unacknowledged publishes in their order, and which of them were sent on the current connection. Owner: the
 * client's loop; {@link #admit} and {@link #hasRoom} may be called by any thread.
 */
final class PendingPublishes {
    private final int countMax;
    private final long bytesMax;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Map<Long, Publish> pending = new LinkedHashMap<>();
    private final ArrayDeque<Publish> unsent = new ArrayDeque<>();

    /** The publishes to be sent again on this connection, in their order. */
    private final TreeMap<Long, Publish> again = new TreeMap<>();

    PendingPublishes(int countMax, long bytesMax) {
        this.countMax = countMax;
        this.bytesMax = bytesMax;
    }

    /** Reserves room for a publish; returns false if the bound would be exceeded. Any thread. */
    boolean admit(Publish publish) {
        if (count.incrementAndGet() > countMax) {
            count.decrementAndGet();
            return false;
        }
        if (bytes.addAndGet(publish.bytes()) > bytesMax) {
            release(publish);
            return false;
        }
        return true;
    }

    /** Whether there is room for one more publish. Any thread. */
    boolean hasRoom() {
        return count.get() < countMax && bytes.get() < bytesMax;
    }

    private void release(Publish publish) {
        count.decrementAndGet();
        bytes.addAndGet(-publish.bytes());
    }

    void add(Publish publish) {
        pending.put(publish.id(), publish);
        unsent.add(publish);
    }

    /** Sends the unsent publishes in order, until the connection accepts no more. */
    void send(Predicate<Publish> connection) {
        Publish next = unsent.peek();
        while (next != null && (!pending.containsKey(next.id()) || connection.test(next))) {
            unsent.poll();
            next = unsent.peek();
        }
    }

    /** Completes a publish; returns false if the publish is no longer pending. */
    boolean acknowledged(long id, Position at) {
        Publish publish = take(id);
        return publish != null && publish.acknowledged().complete(at);
    }

    /** Fails a publish; returns false if the publish is no longer pending. */
    boolean failed(long id, PublishException why) {
        Publish publish = take(id);
        return publish != null && publish.acknowledged().completeExceptionally(why);
    }

    private @Nullable Publish take(long id) {
        Publish publish = pending.remove(id);
        if (publish != null) {
            release(publish);
        }
        return publish;
    }

    /** Marks a publish to be sent again; returns false if it must not be repeated or is no longer pending. */
    boolean repeatLater(long id) {
        Publish publish = pending.get(id);
        if (publish == null || !publish.isRepeatable()) {
            return false;
        }
        again.put(id, publish);
        return true;
    }

    /** Queues the marked publishes before the unsent ones, in their order. */
    void repeat() {
        again.descendingMap().values().forEach(unsent::addFirst);
        again.clear();
    }

    /**
     * Called after a disconnect. Queues the publishes that may be sent on the next connection, in their order; the
     * others fail.
     */
    void disconnected(Consumer<Publish> unknown) {
        Set<Long> neverSent = new HashSet<>();
        unsent.forEach(publish -> neverSent.add(publish.id()));
        unsent.clear();
        again.clear();
        for (Publish publish : new ArrayList<>(pending.values())) {
            if (publish.isRepeatable() || neverSent.contains(publish.id())) {
                unsent.add(publish);
            } else {
                failed(
                        publish.id(),
                        new PublishException(
                                PublishException.Kind.UNKNOWN, "", "the connection broke before the response"));
                unknown.accept(publish);
            }
        }
    }

    void failLate(long nowNanos) {
        for (Publish publish : new ArrayList<>(pending.values())) {
            if (publish.deadlineNanos() - nowNanos <= 0) {
                failed(
                        publish.id(),
                        new PublishException(
                                PublishException.Kind.TIMED_OUT,
                                "",
                                "not acknowledged in time; the message may have been published"));
            }
        }
    }

    void failAll(PublishException.Kind kind, String code, String reason) {
        unsent.clear();
        for (Publish publish : new ArrayList<>(pending.values())) {
            failed(publish.id(), new PublishException(kind, code, reason));
        }
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }
}
