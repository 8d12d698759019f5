package io.belfry.server.transport;

import io.belfry.protocol.WireFormat;
import io.netty.buffer.ByteBuf;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The protocols by what selects them: HTTP paths, WebSocket subprotocols, first bytes. Immutable. */
final class ClientProtocols {
    /** Number of first bytes after which a protocol that needs more is not that of the connection. */
    static final int FIRST_BYTES_MAX = 1024;

    private final Map<String, HttpEndpoint> byPath = new HashMap<>();
    private final Map<String, ClientProtocol> bySubprotocol = new LinkedHashMap<>();
    private final List<ClientProtocol> byFirstBytes;
    private final HttpEndpoint otherPaths;

    /**
     * Creates the tables; {@code otherPaths} serves every path of no protocol. Throws if two protocols have the same path
     * or subprotocol, or if the id of a format is not its own or not from 0 to 63.
     */
    ClientProtocols(List<ClientProtocol> protocols, HttpEndpoint otherPaths) {
        this.otherPaths = otherPaths;
        byFirstBytes = protocols.stream().filter(ClientProtocol::hasFirstBytes).toList();
        Map<Integer, WireFormat> formats = new HashMap<>();
        for (ClientProtocol protocol : protocols) {
            protocol.endpoints().forEach(endpoint -> add(byPath, "path", endpoint.path(), endpoint));
            protocol.formats().forEach(format -> add(formats, format, protocol));
            if (protocol.isSubprotocol()) {
                add(bySubprotocol, "subprotocol", protocol.name(), protocol);
            }
        }
    }

    private static <V> void add(Map<String, V> table, String selector, String name, V value) {
        if (table.putIfAbsent(name, value) != null) {
            throw new IllegalArgumentException("two protocols use the " + selector + " " + name);
        }
    }

    private static void add(Map<Integer, WireFormat> formats, WireFormat format, ClientProtocol protocol) {
        String named = "wire format " + format.text() + " of " + protocol.name() + " has the id " + format.id();
        if (format.id() < 0 || format.id() >= WireFormat.IDS) {
            throw new IllegalArgumentException(named + "; ids are from 0 to " + (WireFormat.IDS - 1));
        }
        WireFormat other = formats.putIfAbsent(format.id(), format);
        if (other != null) {
            throw new IllegalArgumentException(named + ", like " + other.text() + "; each format needs its own id");
        }
    }

    /** Returns what serves a decoded path. */
    HttpEndpoint ofPath(String path) {
        return byPath.getOrDefault(path, otherPaths);
    }

    Collection<HttpEndpoint> endpoints() {
        return byPath.values();
    }

    /** Returns the names of the subprotocols; the first is that of clients that name none. */
    List<String> subprotocols() {
        return List.copyOf(bySubprotocol.keySet());
    }

    /** Returns the protocol of a subprotocol in {@link #subprotocols}. */
    ClientProtocol ofSubprotocol(String name) {
        return java.util.Objects.requireNonNull(bySubprotocol.get(name));
    }

    /** Returns whether every connection begins with HTTP. */
    boolean isOnlyHttp() {
        return byFirstBytes.isEmpty();
    }

    /** Returns the phase that the first bytes of a connection select, {@code http} if none; null if more are needed. */
    @Nullable
    Phase select(ByteBuf first, Connection connection, Supplier<Phase> http) {
        boolean undecided = false;
        for (ClientProtocol protocol : byFirstBytes) {
            switch (protocol.begins(first)) {
                case YES -> {
                    return protocol.overTcp(connection);
                }
                case MORE -> undecided |= first.readableBytes() <= FIRST_BYTES_MAX;
                case NO -> {}
            }
        }
        return undecided ? null : http.get();
    }
}
