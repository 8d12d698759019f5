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
 * Checks that the configured addresses are free before the server opens them. The server's listeners share their port
 * with SO_REUSEPORT, so they would silently share it with another server of the same user. Pure except for opening and
 * closing sockets.
 */
final class PortProbe {
    private PortProbe() {}

    /** Throws an exception that names the key, the address and the remedy if an address is not free. */
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
        config.network().listen().plain().forEach(address -> all.add(new Wanted("Listen", address)));
        config.network().listen().encrypted().forEach(address -> all.add(new Wanted("ListenEncrypted", address)));
        if (config.monitor().jmx().open()) {
            all.add(new Wanted("MonitorJMX.Listen", config.monitor().jmx().address()));
        }
        if (config.monitor().http().open()) {
            all.add(new Wanted("MonitorHTTP.Listen", config.monitor().http().address()));
        }
        return all;
    }

    private static String reason(IOException failure, Wanted wanted) {
        int port = wanted.address().port();
        String text = String.valueOf(failure.getMessage());
        if (failure instanceof UnknownHostException) {
            return "the host name cannot be resolved";
        }
        if (text.contains("in use")) {
            return "another program listens there; stop it or change " + wanted.key() + " ('ss -ltnp sport = :" + port
                    + "' shows which)";
        }
        if (text.contains("ermission denied")) {
            return "only root may open ports below 1024; 'bin/belfry doctor' shows how to allow it";
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
