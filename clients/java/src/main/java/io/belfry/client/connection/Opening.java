package io.belfry.client.connection;

import io.netty.channel.Channel;

/** What is said first on a connection, and so what the connection speaks. */
public sealed interface Opening permits Upgrade, HttpStream, HttpCalls {
    SocketConnection connection(ClientLoop loop, ConnectionListener listener, Channel channel);
}
