package io.belfry.server.transport;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Clears the addresses that Netty caches in each connection. The local and the remote address take 160 bytes of heap,
 * a seventh of an idle session, and they are not needed after admission. Netty has no option for this, so this class
 * clears the fields by reflection. If a later Netty version has no such fields, nothing is cleared and the test
 * fails. Pure.
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
            // This class has no such field, or does not permit access; its addresses stay cached.
            return;
        }
    }
}
