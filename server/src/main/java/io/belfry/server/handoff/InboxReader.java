package io.belfry.server.handoff;

import io.belfry.server.turn.Loop;
import io.belfry.server.turn.Turn;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes a lane for the batches of other lanes, and makes their calls. If they take long, the lane serves its sockets before it
 * continues. Owner: the lane's loop.
 */
public final class InboxReader {
    private static final Logger LOG = LoggerFactory.getLogger(InboxReader.class);

    /** Calls between two reads of the clock. */
    private static final int CALLS_OF_PIECE = 8;

    private final Loop loop;
    private final Turn turn;
    private final HandoffReader reader;
    private final Inbox inbox;
    private @Nullable ByteBuf batch;
    private boolean scheduled;

    public InboxReader(long congestedBytes, Loop loop, Turn turn, HandoffReader reader) {
        this.loop = loop;
        this.turn = turn;
        this.reader = reader;
        inbox = new Inbox(congestedBytes, this::wake);
    }

    public Inbox inbox() {
        return inbox;
    }

    /** Wakes the loop, because another lane has offered a batch. Any thread. */
    private void wake() {
        try {
            loop.execute(this::read);
        } catch (RejectedExecutionException ended) {
            // The loops of a stopping server end one after the other. The batch stays in the inbox until the lane is
            // released.
            LOG.debug("loop ended before it read a batch of another lane", ended);
        }
    }

    private void read() {
        turn.begin();
        inbox.onAwake();
        long endNanos = turn.nowNanos() + Turn.SLICE_NANOS;
        ByteBuf next = batch();
        while (next != null) {
            readPiece(next);
            if (!next.isReadable()) {
                batch = null;
                next.release();
            }
            next = batch();
            if (next != null && turn.clockNanos() - endNanos >= 0) {
                readInNextTurn();
                return;
            }
        }
    }

    /** Returns the batch whose calls have not all been made, or the next one, or null. */
    private @Nullable ByteBuf batch() {
        if (batch == null) {
            batch = inbox.poll();
        }
        return batch;
    }

    private void readInNextTurn() {
        if (!scheduled) {
            scheduled = true;
            turn.next(() -> {
                scheduled = false;
                read();
            });
        }
    }

    /** Makes some calls of a batch. A failing call is skipped: its bytes have been read, so the next call starts at its place. */
    private void readPiece(ByteBuf batch) {
        for (int calls = CALLS_OF_PIECE; calls > 0 && batch.isReadable(); calls--) {
            try {
                reader.read(batch);
            } catch (RuntimeException failure) {
                turn.onFailure(failure);
            }
        }
    }

    /** Releases batches that are not read any more. */
    public void release() {
        for (ByteBuf next = batch(); next != null; next = batch()) {
            batch = null;
            next.release();
        }
    }
}
