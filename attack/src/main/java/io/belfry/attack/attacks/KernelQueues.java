package io.belfry.attack.attacks;

import io.belfry.benchkit.process.Kernel;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads how many bytes the kernel holds between two sockets of this machine: sent by one process and not yet read by the
 * other. Linux publishes this in /proc; on other systems the result is 0.
 */
final class KernelQueues {
    private static final List<String> TABLES = List.of("/proc/net/tcp", "/proc/net/tcp6");

    private KernelQueues() {}

    /** Returns the bytes in transit from one IPv4 address to the other. */
    static long heldBetween(InetSocketAddress sender, InetSocketAddress receiver) {
        return TABLES.stream()
                .flatMap(table -> Kernel.read(table).stream())
                .mapToLong(table ->
                        heldBetween(name(sender), name(receiver), table.lines().toList()))
                .sum();
    }

    /** Sums lines such as "12: 1E00007F:A2C4 0100007F:1F90 01 00000000:00000000 ...": local, remote, state, tx:rx. */
    static long heldBetween(String sender, String receiver, List<String> lines) {
        long held = 0;
        for (String line : lines) {
            String[] words = line.strip().split("\\s+", 6);
            boolean fromSender = words.length == 6 && words[1].endsWith(sender) && words[2].endsWith(receiver);
            boolean toReceiver = words.length == 6 && words[1].endsWith(receiver) && words[2].endsWith(sender);
            if (fromSender || toReceiver) {
                held += Long.parseLong(words[4].split(":", 2)[fromSender ? 0 : 1], 16);
            }
        }
        return held;
    }

    /** Formats an address as in /proc/net/tcp: last byte first. IPv4-mapped IPv6 addresses end in the same text. */
    static String name(InetSocketAddress address) {
        byte[] bytes = address.getAddress().getAddress();
        byte[] reversed = {bytes[3], bytes[2], bytes[1], bytes[0]};
        return HexFormat.of().withUpperCase().formatHex(reversed) + String.format(":%04X", address.getPort());
    }
}
