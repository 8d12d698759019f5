package io.belfry.server.handoff;

import java.util.function.IntSupplier;

/**
 * A lane's use of a limit that all lanes share: its own use is exact, that of the others is as they reported it at
 * their last tick. A check therefore needs no memory that lanes write concurrently; within a tick the limit may be exceeded a
 * little. Owner: the lane's loop; {@link #reported} is for any thread.
 */
final class Share {
    private final IntSupplier own;
    private volatile int reported;
    private long others;

    Share(IntSupplier own) {
        this.own = own;
    }

    boolean isFull(int max) {
        return own.getAsInt() + others >= max;
    }

    void report() {
        reported = own.getAsInt();
    }

    int reported() {
        return reported;
    }

    void onOthers(long held) {
        others = held;
    }
}
