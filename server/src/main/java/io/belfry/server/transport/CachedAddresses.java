package io.belfry.server.transport;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets go of the addresses Netty keeps with each connection: its own and the client's take 160 bytes of heap, a seventh of
 * an idle session, and nobody asks for them once a connection is admitted. Netty has no switch for it, so its fields are
 * cleared; where a later Netty has none of them nothing is, and the test says so. Pure.
 */
final class CachedAddresses {
    private static final List<VarHandle> FIELDS = fields();

    private CachedAddresses() {}

    static void forget(Channel channel) {
        if (channel instanceof EpollSocketChannel) {
            for (VarHandle field : FIELDS) {
                field.set(channel, null);
            }
        }
    }

    private static List<VarHandle> fields() {
        List<VarHandle> found = new ArrayList<>();
        for (Class<?> type = EpollSocketChannel.class; type != Object.class; type = type.getSuperclass()) {
            for (String name : List.of("local", "remote", "localAddress", "remoteAddress")) {
                add(found, type, name);
            }
        }
        return List.copyOf(found);
    }

    private static void add(List<VarHandle> found, Class<?> type, String name) {
        try {
            found.add(MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                    .findVarHandle(type, name, SocketAddress.class));
        } catch (NoSuchFieldException | IllegalAccessException notThere) {
            // This class has no such field, or lets nobody in: then its addresses stay.
            return;
        }
    }
}
