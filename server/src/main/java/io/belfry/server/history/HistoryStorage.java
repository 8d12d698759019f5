package io.belfry.server.history;

import java.util.List;
import java.util.function.Consumer;

/** Where the lanes of a server keep their histories for good. */
public interface HistoryStorage {
    /** What is stored of a lane's log, oldest first. */
    List<StoredSegment> stored(int lane);

    /** Where a lane's log goes on; {@code loop} runs what it is given on the lane's loop. */
    LogStore open(int lane, Consumer<Runnable> loop);
}
