package io.belfry.benchkit.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the publishers say of their clocks, beside this process's own: from both follows how far they are apart. Looks at
 * every {@link #LOOK_EVERY}th stamp of a publisher only, since clocks drift slowly. Owner: one loop.
 */
public final class PublisherClocks {
    static final int LOOK_EVERY = 256;

    private final boolean correct;
    private final List<@Nullable ClockOffset> clocks = new ArrayList<>();
    private ClockOffset own = ClockOffset.UNKNOWN;
    private long[] correctionNanos = new long[16];
    private int[] looksIn = new int[16];

    /** {@code correct}: whether latencies are to be corrected. */
    public PublisherClocks(boolean correct) {
        this.correct = correct;
    }

    /** This process's clock has been compared again. */
    public void own(ClockOffset offset) {
        own = offset;
        for (int i = 0; i < clocks.size(); i++) {
            correctionNanos[i] = correction(clocks.get(i));
        }
    }

    /**
     * What to add to a latency measured with a stamp of this publisher: 0 unless it is asked for, known and needed.
     *
     * @param publisher a {@link PublisherIndex} number
     */
    public long correctionNanos(int publisher, byte[] stamp) {
        if (publisher >= looksIn.length) {
            int room = Math.max(publisher + 1, 2 * looksIn.length);
            correctionNanos = Arrays.copyOf(correctionNanos, room);
            looksIn = Arrays.copyOf(looksIn, room);
        }
        if (looksIn[publisher]-- <= 0) {
            look(publisher, stamp);
        }
        return correctionNanos[publisher];
    }

    private void look(int publisher, byte[] stamp) {
        while (clocks.size() <= publisher) {
            clocks.add(null);
        }
        ClockOffset clock = Stamp.clock(stamp);
        clocks.set(publisher, clock);
        looksIn[publisher] = clock.isKnown() ? LOOK_EVERY : 0;
        correctionNanos[publisher] = correction(clock);
    }

    private long correction(@Nullable ClockOffset publisher) {
        if (!correct || publisher == null || publisher.sharesMachineWith(own)) {
            return 0;
        }
        return publisher.isKnown() && own.isKnown() ? publisher.aheadOfMicros(own) * 1000 : 0;
    }

    /** Whether this process's {@code ownNanos} is surely before the publisher's {@code theirNanos}. */
    public boolean isBefore(long ownNanos, int publisher, long theirNanos) {
        ClockOffset clock = publisher < clocks.size() ? clocks.get(publisher) : null;
        if (clock == null) {
            return false;
        }
        if (clock.sharesMachineWith(own)) {
            return ownNanos < theirNanos;
        }
        return clock.isKnown()
                && own.isKnown()
                && ownNanos < theirNanos - 1000 * (clock.aheadOfMicros(own) + clock.uncertaintyWithMicros(own));
    }

    /** Adds what is known to {@code comparison}. */
    public void compare(ClockComparison comparison) {
        for (ClockOffset clock : clocks) {
            if (clock != null) {
                comparison.add(clock, own);
            }
        }
    }
}
