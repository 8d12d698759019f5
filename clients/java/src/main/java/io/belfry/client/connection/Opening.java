package io.belfry.client.connection;

import io.netty.channel.Channel;

/** The first request on a connection, which determines its protocol. */
public sealed interface Opening permits Upgrade, HttpStream, HttpCalls {
    /** Creates the handler for a new channel. */
    SocketConnection connection(ClientLoop loop, ConnectionListener listener, Channel channel);
}
