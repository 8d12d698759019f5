package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.ServerConnection;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The part that all links share: the connection that commands and publishes are written to, its pending bytes, and the end
 * of the link. Owner: the client's loop.
 */
abstract class ConnectionLink implements Link {
    final ClientLoop loop;
    final Route route;
    final Owner owner;
    /** The connection that commands and publishes are written to. */
    @Nullable
    ServerConnection connection;
    /** Bytes for the next flush; {@link #finish} releases them. */
    @Nullable
    ByteBuf pending;

    boolean over;
    /** Whether the connection ends without a close frame, which would end the session. */
    boolean keepsSession;

    long lastReadNanos;

    ConnectionLink(ClientLoop loop, Route route, Owner owner) {
        this.loop = loop;
        this.route = route;
        this.owner = owner;
        this.lastReadNanos = loop.clock().getAsLong();
    }

    /** Returns whether the connection can take a publish now. */
    final boolean isWritable() {
        return connection != null && connection.isOpen() && connection.isWritable();
    }

    /** Adds a command or a request to the pending bytes; does nothing while the connection is not open. */
    final void append(ByteBuf bytes, boolean binary) {
        if (connection == null || !connection.isOpen()) {
            return;
        }
        if (pending == null) {
            pending = connection.buffer();
        }
        connection.append(pending, bytes, binary);
    }

    @Override
    public final void flush() {
        if (pending != null && connection != null) {
            ByteBuf all = pending;
            pending = null;
            connection.flush(all);
        }
    }

    @Override
    public final long lastReadNanos() {
        return lastReadNanos;
    }

    @Override
    public final void fail(Ending ending) {
        if (!over) {
            finish();
            owner.onLinkEnd(ending);
        }
    }

    @Override
    public void finish() {
        if (!over) {
            over = true;
            if (pending != null) {
                pending.release();
                pending = null;
            }
            if (connection != null && keepsSession) {
                connection.drop();
            } else if (connection != null) {
                connection.finish();
            }
        }
    }

    /** Notifies the owner unless the link is over. */
    final void notifyWritable() {
        if (!over) {
            owner.onLinkWritable();
        }
    }
}
