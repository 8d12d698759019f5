package io.belfry.server.handoff;

import io.belfry.server.turn.Loop;
import io.belfry.server.turn.Turn;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wakes a lane for the batches of other lanes, and makes their calls. Owner: the lane's loop. */
public final class InboxReader {
    private static final Logger LOG = LoggerFactory.getLogger(InboxReader.class);

    private final Loop loop;
    private final Turn turn;
    private final HandoffReader reader;
    private final Inbox inbox;

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
        for (ByteBuf batch = inbox.poll(); batch != null; batch = inbox.poll()) {
            try {
                readBatch(batch);
            } finally {
                batch.release();
            }
        }
    }

    /** Makes the calls of a batch. A failing call is skipped: its bytes have been read, so the next call starts at its place. */
    private void readBatch(ByteBuf batch) {
        while (batch.isReadable()) {
            try {
                reader.read(batch);
            } catch (RuntimeException failure) {
                turn.onFailure(failure);
            }
        }
    }

    /** Releases batches that are not read any more. */
    public void release() {
        for (ByteBuf batch = inbox.poll(); batch != null; batch = inbox.poll()) {
            batch.release();
        }
    }
}
