package io.belfry.server.command;

import io.belfry.server.config.ListenAddress;
import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether the addresses to listen on can be had. Asked before the server opens them, because its listeners share their
 * port among themselves (SO_REUSEPORT) and so would share it with another server of the same user without a word. Pure
 * but for opening and closing sockets.
 */
final class PortProbe {
    private PortProbe() {}

    /** Throws with a sentence that names the key, the address and what to do. */
    static void requireFree(ServerConfig config) throws IOException {
        for (Wanted wanted : wanted(config)) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(wanted.socketAddress());
            } catch (IOException e) {
                throw new IOException(
                        wanted.key() + ": cannot listen on " + wanted.address() + ": " + reason(e, wanted), e);
            }
        }
    }

    private static List<Wanted> wanted(ServerConfig config) {
        List<Wanted> all = new ArrayList<>();
        config.listen().plain().forEach(address -> all.add(new Wanted("Listen", address)));
        config.listen().encrypted().forEach(address -> all.add(new Wanted("ListenEncrypted", address)));
        if (config.monitor().jmx()) {
            all.add(new Wanted("MonitorJMX.Listen", config.monitor().jmxListen()));
        }
        if (config.monitor().http()) {
            all.add(new Wanted("MonitorHTTP.Listen", config.monitor().httpListen()));
        }
        return all;
    }

    private static String reason(IOException failure, Wanted wanted) {
        int port = wanted.address().port();
        String text = String.valueOf(failure.getMessage());
        if (failure instanceof UnknownHostException) {
            return "there is no such host";
        }
        if (text.contains("in use")) {
            return "another program listens there; stop it or change " + wanted.key() + " ('ss -ltnp sport = :" + port
                    + "' shows which)";
        }
        if (text.contains("ermission denied")) {
            return "ports below 1024 are root's; 'bin/belfry doctor' says how to allow it";
        }
        return text;
    }

    private record Wanted(String key, ListenAddress address) {
        InetSocketAddress socketAddress() throws UnknownHostException {
            return address.any()
                    ? new InetSocketAddress(address.port())
                    : new InetSocketAddress(InetAddress.getByName(address.host()), address.port());
        }
    }
}
