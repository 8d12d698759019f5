package io.belfry.benchkit.load;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The state of one publishing connection; {@link PublisherLoop} has the behaviour. Owner: the loop. */
final class PublisherClient extends LoadClient {
    private static final int FIRST_WINDOW = 1024;

    final AckWindow acks = new AckWindow(FIRST_WINDOW);
    /** The frames of the current turn; null if there are none. Released by the flush, or by the end of the connection. */
    @Nullable
    ByteBuf frames;

    PublisherClient(int index, long begunNanos) {
        super(index, begunNanos);
    }

    /** Whether the connection can take a message now. */
    boolean canTake() {
        return connection != null && connection.isWritable() && !acks.full();
    }
}
