package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Runs work on event loops in slices, so that no turn takes long. Any thread except an event loop: the methods wait. */
public final class Sliced {
    private static final long TIMEOUT_SECONDS = 5;

    private Sliced() {}

    /** Work on one lane. */
    public interface Work<T> {
        /** Does a part of the work in one turn. Returns whether the work is complete. */
        boolean work();

        T result();
    }

    /** Does the work on each lane at the same time, and returns the results in the order of the lanes. */
    public static <T> List<T> onAll(List<LaneInspector> lanes, Function<LaneInspector, Work<T>> work) {
        List<CompletableFuture<T>> futures = lanes.stream()
                .map(lane -> {
                    CompletableFuture<T> future = new CompletableFuture<>();
                    lane.run(() -> next(lane, work.apply(lane), future));
                    return future;
                })
                .toList();
        return futures.stream().map(Sliced::await).toList();
    }

    /** Does the work on one lane, and returns its result. */
    public static <T> T sliced(LaneInspector lane, Work<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        lane.run(() -> next(lane, work, future));
        return await(future);
    }

    /** Calls a function on one lane, and returns its result. */
    public static <T> T on(LaneInspector lane, Function<LaneInspector, T> call) {
        CompletableFuture<T> future = new CompletableFuture<>();
        lane.run(() -> {
            try {
                future.complete(call.apply(lane));
            } catch (RuntimeException failure) {
                future.completeExceptionally(failure);
            }
        });
        return await(future);
    }

    private static <T> void next(LaneInspector lane, Work<T> work, CompletableFuture<T> future) {
        try {
            if (work.work()) {
                future.complete(work.result());
            } else if (!future.isCancelled()) {
                lane.nextTurn(() -> next(lane, work, future));
            }
        } catch (RuntimeException failure) {
            future.completeExceptionally(failure);
        }
    }

    private static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            future.cancel(false);
            throw new LaneCallException(
                    Code.OVERLOADED, "the event loops did not answer within " + TIMEOUT_SECONDS + " s");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new LaneCallException(Code.NOT_READY, "the server stops");
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure.getCause());
        }
    }
}
