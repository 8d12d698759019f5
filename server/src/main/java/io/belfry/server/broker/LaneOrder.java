package io.belfry.server.broker;

import io.belfry.protocol.Code;
import io.belfry.server.history.History;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The order of a lane whose history is the only one of its messages: places are addresses in it. Owner: the lane's loop. */
public final class LaneOrder implements LogOrder {
    private final History history;
    private final int lane;
    private final int lanes;
    private final int generation;

    /** Creates the order; {@code generation} is that of the logs on disk, or 0. */
    public LaneOrder(History history, int lane, int lanes, int generation) {
        this.history = history;
        this.lane = lane;
        this.lanes = lanes;
        this.generation = generation;
    }

    @Override
    public int logs() {
        return lanes;
    }

    @Override
    public int generation() {
        return generation;
    }

    @Override
    public long[] ends() {
        return places(history.end());
    }

    @Override
    public long[] placesAt(long[] from, long address) {
        return places(address);
    }

    private long[] places(long here) {
        long[] places = new long[lanes];
        Arrays.fill(places, Long.MAX_VALUE);
        places[lane] = here;
        return places;
    }

    @Override
    public @Nullable Code doubt(long[] from) {
        if (from[lane] > history.end()) {
            return Code.EPOCH_CHANGED;
        }
        return from[lane] < history.start() ? Code.HISTORY_GONE : null;
    }

    @Override
    public long start(long[] from) {
        return from[lane];
    }

    @Override
    public int log(int subject) {
        return lane;
    }

    @Override
    public long place(long address) {
        return address;
    }
}
