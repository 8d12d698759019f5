package io.belfry.benchkit.load;

import io.belfry.client.connection.ServerConnection;
import org.jspecify.annotations.Nullable;

/**
 * The state of one connection of one client to its server; {@link FleetLoop} has the behaviour. A client that connects
 * again gets a new object. Owner: the loop.
 */
abstract sealed class LoadClient permits SubscriberClient, PublisherClient {
    /** Index among the clients of its loop. */
    final int index;
    /** The time of the connect call. */
    final long begunNanos;
    /** This index was connected before, so the ramp does not wait for it. */
    boolean again;
    /** The server has answered all that the client needs for its work. */
    boolean ready;
    /** Set from the answer to the handshake until the connection ends. */
    @Nullable
    ServerConnection connection;

    LoadClient(int index, long begunNanos) {
        this.index = index;
        this.begunNanos = begunNanos;
    }
}
