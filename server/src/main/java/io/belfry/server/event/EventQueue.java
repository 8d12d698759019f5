package io.belfry.server.event;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events that wait for one receiver, in their order. A full queue drops new events, and remembers at their place in the order how
 * many were dropped and when. Any thread; only {@link #take} waits.
 */
final class EventQueue {
    /** Estimated memory of the events after which a batch ends. */
    private static final int BATCH_BYTES = 1 << 20;

    /** An event, or the loss of some. */
    sealed interface Item {
        /** Returns the number of the event, or of the first one that was dropped. */
        long seq();

        /** Returns the estimated memory that counts for the bounds. */
        int bytes();

        /** An event with its number at this receiver. */
        record Happened(long seq, ApplicationEvent event) implements Item {
            @Override
            public int bytes() {
                return event.bytes();
            }
        }

        /** The events from one number to another were dropped, within these times. */
        record Missed(long seq, long toSeq, long fromMillis, long toMillis) implements Item {
            @Override
            public int bytes() {
                return 0;
            }

            long count() {
                return toSeq - seq + 1;
            }

            private Missed upTo(long last, long millis) {
                return new Missed(seq, last, fromMillis, millis);
            }
        }
    }

    private final int itemsMax;
    private final long bytesMax;

    /** Guarded by this object, as are the following fields. A full queue has one further item, the loss at its end. */
    private final ArrayDeque<Item> items = new ArrayDeque<>();

    private long bytes;
    private long seq;
    private boolean closed;
    private boolean discarded;

    EventQueue(int itemsMax, long bytesMax) {
        this.itemsMax = itemsMax;
        this.bytesMax = bytesMax;
    }

    /** Adds an event; returns false if it was dropped. */
    synchronized boolean add(ApplicationEvent event) {
        if (discarded) {
            return false;
        }
        long number = ++seq;
        if (hasRoom(event)) {
            bytes += event.bytes();
            items.add(new Item.Happened(number, event));
            notifyAll();
            return true;
        }
        if (items.peekLast() instanceof Item.Missed missed) {
            items.removeLast();
            items.add(missed.upTo(number, event.millis()));
        } else {
            items.add(new Item.Missed(number, number, event.millis(), event.millis()));
        }
        return false;
    }

    /** Returns whether the bounds allow the event; an empty queue takes an event of any size. */
    private boolean hasRoom(ApplicationEvent event) {
        return items.isEmpty() || (items.size() < itemsMax && bytes + event.bytes() <= bytesMax);
    }

    /** Waits for items and removes up to {@code max} of them, or fewer large ones; returns null after the close, once all are removed. */
    synchronized @Nullable List<Item> take(int max) throws InterruptedException {
        while (items.isEmpty() && !closed) {
            wait();
        }
        if (items.isEmpty()) {
            return null;
        }
        List<Item> taken = new ArrayList<>();
        long before = bytes;
        while (taken.size() < max && !items.isEmpty() && before - bytes < BATCH_BYTES) {
            Item first = items.removeFirst();
            bytes -= first.bytes();
            taken.add(first);
        }
        return taken;
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Removes all items and drops all further events; returns the number of removed events. */
    synchronized int discard() {
        int events =
                (int) items.stream().filter(Item.Happened.class::isInstance).count();
        items.clear();
        bytes = 0;
        discarded = true;
        close();
        return events;
    }

    synchronized int size() {
        return items.size();
    }
}
