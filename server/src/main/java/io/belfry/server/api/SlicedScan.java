package io.belfry.server.api;

import io.belfry.server.workgroup.Sliced;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Lists the entries of one lane in the order of their numbers, some in each turn. Owner: the lane's loop until the list is complete. */
final class SlicedScan<R> implements Sliced.Work<SlicedScan<R>> {
    /** Maximum number of entries that a request looks at; it then answers with what it found, and the client continues. */
    private static final int LOOKS_MAX = 200_000;

    /** Time of one slice of a search, in which a lane serves nobody else. */
    private static final long SLICE_NANOS = 500_000;

    private static final int LOOKS_PER_TIME = 64;

    /** Chooses the entries to list. */
    interface Rows<R> {
        /** Returns what to list for the entry with this number, or null. */
        @Nullable
        R of(ApiLane lane, int number);
    }

    /**
     * The entries found on all lanes. Immutable.
     *
     * @param next cursor of the next page; empty at the end of the list
     */
    record Found<R>(List<R> rows, Optional<String> next) {}

    private final ApiLane lane;
    private final ToIntFunction<ApiLane> bound;
    private final Rows<R> choice;
    private final int limit;
    private final int end;
    private final List<R> rows = new ArrayList<>();
    private int number;

    private SlicedScan(ApiLane lane, ToIntFunction<ApiLane> bound, Rows<R> choice, int from, int limit, int looks) {
        this.lane = lane;
        this.bound = bound;
        this.choice = choice;
        this.limit = limit;
        number = from;
        end = from + looks;
    }

    /** Lists entries of one lane after the other, from the one after the cursor; {@code bound} is the upper bound of a lane's numbers. */
    static <R> Found<R> page(
            List<ApiLane> lanes, ToIntFunction<ApiLane> bound, Rows<R> choice, Cursor after, int limit) {
        List<R> rows = new ArrayList<>();
        int looks = LOOKS_MAX;
        for (int i = after.lane(); i < lanes.size(); i++) {
            int from = i == after.lane() ? after.number() + 1 : 0;
            SlicedScan<R> scan = Sliced.sliced(
                    lanes.get(i).inspector(),
                    new SlicedScan<>(lanes.get(i), bound, choice, from, limit - rows.size(), looks));
            rows.addAll(scan.rows);
            looks -= scan.number - from;
            if (!scan.isComplete() || (i + 1 < lanes.size() && (rows.size() == limit || looks <= 0))) {
                return new Found<>(rows, Optional.of(new Cursor(i, Math.max(0, scan.number - 1)).toString()));
            }
        }
        return new Found<>(rows, Optional.empty());
    }

    private boolean isComplete() {
        return number >= bound.applyAsInt(lane);
    }

    private boolean isDone() {
        return isComplete() || rows.size() == limit || number >= end;
    }

    @Override
    public boolean work() {
        long endNanos = lane.operator().clockNanos() + SLICE_NANOS;
        while (!isDone()) {
            for (int i = 0; i < LOOKS_PER_TIME && !isDone(); i++, number++) {
                R row = choice.of(lane, number);
                if (row != null) {
                    rows.add(row);
                }
            }
            if (lane.operator().clockNanos() - endNanos >= 0) {
                return isDone();
            }
        }
        return true;
    }

    @Override
    public SlicedScan<R> result() {
        return this;
    }
}
