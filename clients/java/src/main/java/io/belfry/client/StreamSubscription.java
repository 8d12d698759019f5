package io.belfry.client;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Delivers one subscription to a {@link Flow.Subscriber}, as it requests. The bounded buffer absorbs what arrives between
 * a request and the next; a full buffer pauses the subscription. Any thread; one at a time emits.
 */
final class StreamSubscription implements Flow.Subscription, MessageListener {
    /** Bound of the data that waits for requests. */
    private static final long BYTES_MAX = 4 << 20;

    private final Flow.Subscriber<? super StreamItem> subscriber;
    private final int bufferMax;
    private final Object lock = new Object();
    private final Queue<StreamItem> buffer = new ArrayDeque<>();
    private long bytes;
    private long demand;
    private boolean emitting;
    private boolean paused;
    private boolean cancelled;
    /** Whether no item follows those in the buffer. */
    private boolean finished;

    private @Nullable Throwable failure;
    private @Nullable Subscription subscription;

    StreamSubscription(Flow.Subscriber<? super StreamItem> subscriber, int bufferMax) {
        this.subscriber = Objects.requireNonNull(subscriber);
        this.bufferMax = bufferMax;
    }

    /** Announces this subscription to the subscriber, then begins to receive. */
    void begin(Function<MessageListener, Subscription> subscribe) {
        subscriber.onSubscribe(this);
        Subscription begun;
        try {
            begun = subscribe.apply(this);
        } catch (RuntimeException invalid) {
            finish(invalid);
            return;
        }
        boolean late;
        boolean full;
        synchronized (lock) {
            subscription = begun;
            late = cancelled;
            full = paused;
        }
        if (late) {
            begun.unsubscribe();
        } else if (full) {
            begun.pause();
        }
        begun.over().thenAccept(why -> finish(why.code().equals("client-closed") ? null : why));
    }

    private void finish(@Nullable Throwable why) {
        synchronized (lock) {
            finished = true;
            failure = why;
        }
        emit();
    }

    @Override
    public void onMessage(Message message) {
        received(message);
    }

    @Override
    public void onGap(Gap gap) {
        received(gap);
    }

    private void received(StreamItem item) {
        Subscription full = null;
        synchronized (lock) {
            if (cancelled) {
                return;
            }
            buffer.add(item);
            bytes += bytesOf(item);
            if (!paused && demand < buffer.size() && (buffer.size() >= bufferMax || bytes >= BYTES_MAX)) {
                paused = true;
                full = subscription;
            }
        }
        if (full != null) {
            full.pause();
        }
        emit();
    }

    private static int bytesOf(StreamItem item) {
        return item instanceof Message message ? message.data().length : 0;
    }

    @Override
    public void request(long items) {
        synchronized (lock) {
            if (items <= 0 && !cancelled) {
                buffer.clear();
                finished = true;
                failure = new IllegalArgumentException("a subscriber must request 1 item or more, not " + items);
            }
            demand = items > Long.MAX_VALUE - demand ? Long.MAX_VALUE : demand + Math.max(0, items);
        }
        emit();
    }

    @Override
    public void cancel() {
        Subscription ended;
        synchronized (lock) {
            cancelled = true;
            buffer.clear();
            ended = subscription;
        }
        if (ended != null) {
            ended.unsubscribe();
        }
    }

    /** Delivers what is requested and there. A call within a call, or of another thread, leaves it to the first one. */
    private void emit() {
        synchronized (lock) {
            if (emitting) {
                return;
            }
            emitting = true;
        }
        boolean regular = false;
        try {
            for (StreamItem next = next(); next != null; next = next()) {
                subscriber.onNext(next);
            }
            regular = true;
        } finally {
            if (!regular) {
                // The subscriber threw an exception, which ends its stream.
                cancel();
            }
        }
    }

    /** Takes the next item to deliver; without one it ends the emission, and the stream if that is over. */
    private @Nullable StreamItem next() {
        StreamItem item = null;
        Subscription resumed = null;
        boolean last;
        synchronized (lock) {
            if (!cancelled && demand > 0 && !buffer.isEmpty()) {
                item = buffer.remove();
                bytes -= bytesOf(item);
                demand--;
            }
            last = !cancelled && finished && buffer.isEmpty() && item == null;
            cancelled |= last;
            emitting = item != null;
            if (paused && !cancelled && buffer.size() <= bufferMax / 2 && bytes <= BYTES_MAX / 2) {
                paused = false;
                resumed = subscription;
            }
        }
        if (resumed != null) {
            resumed.resume();
        }
        if (last) {
            end();
        }
        return item;
    }

    private void end() {
        Subscription ended = subscription;
        if (ended != null) {
            ended.unsubscribe();
        }
        if (failure == null) {
            subscriber.onComplete();
        } else {
            subscriber.onError(failure);
        }
    }
}
