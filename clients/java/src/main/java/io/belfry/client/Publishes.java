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
 * The publishes that are not acknowledged, in the order they were made, and how far the connection has got with them.
 * Owner: the client's loop; admission is for any thread.
 */
final class Publishes {
    private final int countMax;
    private final long bytesMax;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Map<Long, Publish> pending = new LinkedHashMap<>();
    private final ArrayDeque<Publish> unsent = new ArrayDeque<>();

    /** Those to be sent once more on this connection, by their order. */
    private final TreeMap<Long, Publish> again = new TreeMap<>();

    Publishes(int countMax, long bytesMax) {
        this.countMax = countMax;
        this.bytesMax = bytesMax;
    }

    /** Any thread. False: it is one too many; else it counts from now on. */
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

    /** Any thread: whether one more would be admitted. */
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

    /** Hands the unsent ones to the connection, in order, for as long as it takes them. */
    void send(Predicate<Publish> connection) {
        Publish next = unsent.peek();
        while (next != null && (!pending.containsKey(next.id()) || connection.test(next))) {
            unsent.poll();
            next = unsent.peek();
        }
    }

    /** False where nobody waits for this answer any more. */
    boolean acknowledged(long id, Position at) {
        Publish publish = take(id);
        return publish != null && publish.acknowledged().complete(at);
    }

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

    /** Notes one to be sent again; false where it must not be, or nobody waits for it any more. */
    boolean repeatLater(long id) {
        Publish publish = pending.get(id);
        if (publish == null || !publish.isRepeatable()) {
            return false;
        }
        again.put(id, publish);
        return true;
    }

    /** What was noted goes next, in the order in which it was published. */
    void repeat() {
        again.descendingMap().values().forEach(unsent::addFirst);
        again.clear();
    }

    /** The connection broke: what may be repeated goes first on the next, in the old order; the rest fails. */
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
                                PublishException.Kind.UNKNOWN, "", "the connection broke before the answer came"));
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
                                "not acknowledged in time, it may have been taken"));
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
