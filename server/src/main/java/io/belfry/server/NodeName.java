package io.belfry.server;

import io.belfry.server.config.ProcessConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.transport.ListenerTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Derives the node name from the host name and the first listening port when the key {@code NodeName} is not set. */
final class NodeName {
    /** Linux file that holds the host name. Resolving the host name could block on an unreachable DNS server. */
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private NodeName() {}

    static String of(ServerConfig config, ListenerTransport.Listening listening) {
        return config.process().nodeName().orElseGet(() -> derived(hostName(), port(listening)));
    }

    /** Returns host-port, restricted to the characters and the length that {@code NodeName} allows. */
    static String derived(String host, int port) {
        String plain = host.toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9._-]", "-")
                .replaceFirst("^[._-]+", "")
                .replaceFirst("[._-]+$", "");
        String end = "-" + port;
        int most = ProcessConfig.MAX_NODE_NAME - end.length();
        return (plain.isEmpty() ? "node" : plain.substring(0, Math.min(plain.length(), most))) + end;
    }

    private static int port(ListenerTransport.Listening listening) {
        return Stream.concat(listening.plain().stream(), listening.encrypted().stream())
                .findFirst()
                .orElseThrow()
                .port();
    }

    private static String hostName() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException notLinux) {
            return Stream.of("HOSTNAME", "COMPUTERNAME")
                    .map(System::getenv)
                    .flatMap(name -> Optional.ofNullable(name).stream())
                    .findFirst()
                    .orElse("");
        }
    }
}
