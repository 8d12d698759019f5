package io.belfry.benchkit.load;

import io.belfry.client.connection.Connection;
import io.belfry.client.connection.Ending;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** One publishing connection's part of the state; what it does is its loop's. Owner: the loop. */
final class Publisher extends LoadClient {
    private static final int FIRST_WINDOW = 1024;

    final PublisherLoop home;
    final AckWindow acks = new AckWindow(FIRST_WINDOW);

    /** Frames of the turn that is going on; null when none. */
    @Nullable
    ByteBuf frames;

    Publisher(PublisherLoop home, int index, long begunNanos) {
        super(index, begunNanos);
        this.home = home;
    }

    /** Whether a message can be handed to it now. */
    boolean canTake() {
        return connection != null && connection.isWritable() && !acks.full();
    }

    @Override
    public void onOpen(Connection opened) {
        connection = opened;
        home.opened(this, opened);
    }

    @Override
    public void onMessage(Connection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
        home.events().read(this, bytes, offset, length, readNanos);
    }

    @Override
    public void onAnswer(Connection from, int status, ByteBuf body) {
        home.events().answered(this, status, body, from.loop().clock().getAsLong());
    }

    @Override
    public void onReadEnd(Connection from, int bytes) {
        home.events().readEnd(bytes);
        home.roomMade();
    }

    @Override
    public void onWritable(Connection from, boolean writable) {
        home.roomMade();
    }

    @Override
    public void onEnd(Ending ending) {
        if (frames != null) {
            frames.release();
            frames = null;
        }
        home.clients().ended(this, ending);
    }
}
