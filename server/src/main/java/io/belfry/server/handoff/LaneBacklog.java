package io.belfry.server.handoff;

import io.belfry.server.config.BacklogLimitConfig;

/** Shows publishers of all lanes whether a lane is behind with their messages. Any thread reads; the lane's loop writes. */
public final class LaneBacklog {
    private final Inbox inbox;
    private final long historyUnsyncedBytesMax;

    /** Written by the loop, read by the lanes of publishing sessions. */
    private volatile boolean historyBehind;

    private volatile boolean writesBehind;

    public LaneBacklog(Inbox inbox, BacklogLimitConfig limits) {
        this.inbox = inbox;
        historyUnsyncedBytesMax = limits.historyUnsyncedBytes();
    }

    /** Returns whether publishers should wait for this lane. Any thread. */
    public boolean isBehind() {
        return inbox.isCongested() || historyBehind || writesBehind;
    }

    /** Called at the end of each turn with the bytes of publishes that are not accepted yet. */
    public void onHistoryWaiting(long bytes) {
        boolean behind = bytes > historyUnsyncedBytesMax;
        if (behind != historyBehind) {
            // Written only on a change: other lanes read it, and a write that all of them see should not be paid in
            // every turn.
            historyBehind = behind;
        }
    }

    /** Called at the end of each turn; {@code behind} is whether messages of several turns wait for very many sessions. */
    public void onWritesWaiting(boolean behind) {
        if (behind != writesBehind) {
            writesBehind = behind;
        }
    }
}
