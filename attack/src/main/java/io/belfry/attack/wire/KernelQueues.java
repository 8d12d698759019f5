package io.belfry.attack.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/**
 * What the kernel holds between two sockets of this machine: sent by one program and not yet read by the other. Linux
 * tells; elsewhere nothing is known and it counts as nothing.
 */
final class KernelQueues {
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    private KernelQueues() {}

    /** Bytes on their way from one address of IPv4 to the other. */
    static long heldBetween(InetSocketAddress sender, InetSocketAddress receiver) throws IOException {
        long held = 0;
        for (Path table : TABLES) {
            if (Files.isReadable(table)) {
                held += heldBetween(name(sender), name(receiver), Files.readAllLines(table));
            }
        }
        return held;
    }

    /** Lines as "  12: 1E00007F:A2C4 0100007F:1F90 01 00000000:00000000 …": local, remote, state, to send:to be read. */
    static long heldBetween(String sender, String receiver, List<String> lines) {
        long held = 0;
        for (String line : lines) {
            String[] words = line.strip().split("\\s+", 6);
            if (words.length == 6 && words[1].endsWith(sender) && words[2].endsWith(receiver)) {
                held += Long.parseLong(words[4].substring(0, words[4].indexOf(':')), 16);
            } else if (words.length == 6 && words[1].endsWith(receiver) && words[2].endsWith(sender)) {
                held += Long.parseLong(words[4].substring(words[4].indexOf(':') + 1), 16);
            }
        }
        return held;
    }

    /** As the kernel writes it on these processors, the last byte first; an address of IPv6 that is one of IPv4 ends so. */
    static String name(InetSocketAddress address) {
        byte[] bytes = address.getAddress().getAddress();
        byte[] reversed = {bytes[3], bytes[2], bytes[1], bytes[0]};
        return HexFormat.of().withUpperCase().formatHex(reversed) + String.format(":%04X", address.getPort());
    }
}
