package io.belfry.benchkit.load;

import io.belfry.client.connection.Connection;
import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** One publishing connection's part of the state; what it does is its loop's. Owner: the loop. */
final class Publisher implements ConnectionListener {
    private static final int FIRST_WINDOW = 1024;

    final PublisherLoop home;
    final int index;
    final long begunNanos;
    final AckWindow acks = new AckWindow(FIRST_WINDOW);
    boolean ready;

    @Nullable
    Connection connection;

    /** Frames of the turn that is going on; null when none. */
    @Nullable
    ByteBuf frames;

    Publisher(PublisherLoop home, int index, long begunNanos) {
        this.home = home;
        this.index = index;
        this.begunNanos = begunNanos;
    }

    @Override
    public void onOpen(Connection opened) {
        connection = opened;
        home.opened(this, opened);
    }

    @Override
    public void onMessage(Connection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
        home.read(this, bytes, offset, length, readNanos);
    }

    @Override
    public void onReadEnd(Connection from, int bytes) {
        home.readEnd(bytes);
    }

    @Override
    public void onWritable(Connection from, boolean writable) {
        home.writable(this);
    }

    @Override
    public void onEnd(Ending ending) {
        connection = null;
        if (frames != null) {
            frames.release();
            frames = null;
        }
        home.ended(this, ending);
    }
}
