package io.belfry.benchkit.load;

import io.belfry.client.connection.Connection;
import io.belfry.client.connection.ConnectionListener;
import org.jspecify.annotations.Nullable;

/** What subscribers and publishers have in common: one stay of one client at its server. Owner: the loop. */
abstract sealed class LoadClient implements ConnectionListener permits Subscriber, Publisher {
    /** Among the clients of its loop. */
    final int index;

    /** When the connection was begun. */
    final long begunNanos;

    /** It has been connected before: the ramp does not wait for it. */
    boolean again;

    /** The server has answered all that the client needs to begin its work. */
    boolean ready;

    /** Stands from the answer to the handshake to the end. */
    @Nullable
    Connection connection;

    LoadClient(int index, long begunNanos) {
        this.index = index;
        this.begunNanos = begunNanos;
    }
}
