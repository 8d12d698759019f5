package io.belfry.server.workgroup;

import java.util.function.IntSupplier;

/**
 * What a lane holds of something that is bounded for all lanes together: its own as it is, the others' as they told at
 * their last tick. So asking costs nothing that lanes would meet at; in a tick some more than the bound may come. Owner:
 * the lane's loop; {@link #told} is for any thread.
 */
final class Share {
    private final IntSupplier own;
    private volatile int told;
    private long others;

    Share(IntSupplier own) {
        this.own = own;
    }

    boolean isFull(int max) {
        return own.getAsInt() + others >= max;
    }

    void tell() {
        told = own.getAsInt();
    }

    int told() {
        return told;
    }

    void onOthers(long held) {
        others = held;
    }
}
