package io.belfry.server.handoff;

import io.netty.buffer.ByteBuf;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Batches from other lanes, with many writers and one reader. It accepts every batch, because answers and departures must not
 * be lost. Its bound applies to the publishers instead: reading from them pauses while {@link #isCongested}.
 */
public final class Inbox {
    private final Queue<ByteBuf> batches = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean awake = new AtomicBoolean();
    private final long congestedBytes;
    private final Runnable wake;

    Inbox(long congestedBytes, Runnable wake) {
        this.congestedBytes = congestedBytes;
        this.wake = wake;
    }

    /** Adds a batch and takes ownership of it. Any thread. */
    void offer(ByteBuf batch) {
        bytes.addAndGet(batch.readableBytes());
        batches.add(batch);
        if (awake.compareAndSet(false, true)) {
            wake.run();
        }
    }

    /** Called before the reader polls: batches offered from now on wake it again. */
    void onAwake() {
        awake.set(false);
    }

    /** Returns the next batch, which the caller releases, or null. */
    @Nullable
    ByteBuf poll() {
        ByteBuf batch = batches.poll();
        if (batch != null) {
            bytes.addAndGet(-batch.readableBytes());
        }
        return batch;
    }

    /** Returns the bytes that wait. Any thread. */
    public long bytes() {
        return bytes.get();
    }

    boolean isCongested() {
        return bytes.get() > congestedBytes;
    }
}
