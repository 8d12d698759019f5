package io.belfry.server.history;

import java.util.List;
import java.util.function.Consumer;

/** Stores the histories of a server's lanes permanently. */
public interface HistoryStorage {
    /** Returns the stored part of a lane's log, oldest first. */
    List<StoredSegment> stored(int lane);

    /** Returns a number that changes when the logs are rewritten, which gives messages other addresses. */
    int generation();

    /** Opens the continuation of a lane's log; {@code loop} runs tasks on the lane's loop. */
    LogStore open(int lane, Consumer<Runnable> loop);
}
