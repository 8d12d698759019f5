package io.belfry.client.connection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The source addresses and ports of a process's connections. One address can have only as many connections to one
 * server as there are ports, so many clients need several addresses. Any thread.
 */
public final class SourceAddresses {
    /** Number of clients per loopback address, well within the usual range of 28,232 automatic ports. */
    private static final int CLIENTS_PER_LOOPBACK = 8_000;

    private static final int LOOPBACKS_MIN = 4;
    private static final int LOOPBACKS_MAX = 200;

    /** 127.0.0.1 to 127.0.0.9 are left to servers and to tests that use them. */
    private static final int FIRST_LOOPBACK = 10;

    private static final Path PORT_RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    private final List<InetAddress> addresses;
    private final int firstPort;
    private final int lastPort;

    /** Whether to begin again after the last pair, for connections that end while others begin. */
    private final boolean again;

    private final AtomicLong next = new AtomicLong();

    private SourceAddresses(List<InetAddress> addresses, int firstPort, int lastPort, boolean again) {
        this.addresses = List.copyOf(addresses);
        this.firstPort = firstPort;
        this.lastPort = lastPort;
        this.again = again;
    }

    /** The kernel chooses address and port. */
    public static SourceAddresses any() {
        return new SourceAddresses(List.of(), 0, 0, false);
    }

    /** The kernel chooses address and port. Connections to this machine are spread over 127.0.0.x. */
    public static SourceAddresses towards(List<InetSocketAddress> servers, int clients) {
        if (!servers.stream().allMatch(SourceAddresses::isIpv4Loopback)) {
            return any();
        }
        int needed = clients / CLIENTS_PER_LOOPBACK + (clients % CLIENTS_PER_LOOPBACK == 0 ? 0 : 1);
        int count = Math.min(Math.max(needed, LOOPBACKS_MIN), LOOPBACKS_MAX);
        List<InetAddress> loopbacks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            loopbacks.add(loopback(FIRST_LOOPBACK + i));
        }
        return new SourceAddresses(loopbacks, 0, 0, false);
    }

    /** Uses these addresses of this machine; the kernel chooses the ports. */
    public static SourceAddresses automatic(List<InetAddress> addresses) {
        addresses.forEach(SourceAddresses::mustBeOurs);
        return new SourceAddresses(addresses, 0, 0, false);
    }

    /** Uses each pair of an address and a port once, the addresses in turn, from the first port up. */
    public static SourceAddresses explicit(List<InetAddress> addresses, int firstPort, int lastPort) {
        addresses.forEach(SourceAddresses::mustBeOurs);
        return new SourceAddresses(addresses, firstPort, lastPort, false);
    }

    /** Like {@link #explicit}, but begins again after the last pair; a pair may then still be in use. */
    public static SourceAddresses explicitAgain(List<InetAddress> addresses, int firstPort, int lastPort) {
        addresses.forEach(SourceAddresses::mustBeOurs);
        return new SourceAddresses(addresses, firstPort, lastPort, true);
    }

    private static void mustBeOurs(InetAddress address) {
        try {
            if (!address.isLoopbackAddress() && NetworkInterface.getByInetAddress(address) == null) {
                throw new IllegalArgumentException(address.getHostAddress() + " is not an address of this machine");
            }
        } catch (SocketException e) {
            throw new IllegalArgumentException("the addresses of this machine cannot be read: " + e.getMessage(), e);
        }
    }

    private static boolean isIpv4Loopback(InetSocketAddress server) {
        InetAddress address = server.getAddress();
        return address != null && address.isLoopbackAddress() && address.getAddress().length == 4;
    }

    private static InetAddress loopback(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are always an address", e);
        }
    }

    /** Whether ports are given; a pair that is in use is then skipped. */
    public boolean explicitPorts() {
        return firstPort != 0;
    }

    /** Returns the source of the next connection; null if the kernel chooses. */
    public @Nullable InetSocketAddress next() {
        if (addresses.isEmpty()) {
            return null;
        }
        long index = next.getAndIncrement();
        if (again) {
            index %= pairs();
        }
        InetAddress address = addresses.get((int) (index % addresses.size()));
        return new InetSocketAddress(address, explicitPorts() ? port(index / addresses.size()) : 0);
    }

    private int port(long round) {
        return (int) Math.min(firstPort + round, lastPort);
    }

    /** Whether more pairs were taken than there are. */
    public boolean usedUp() {
        return explicitPorts() && !again && next.get() > pairs();
    }

    private long pairs() {
        return (long) addresses.size() * (lastPort - firstPort + 1);
    }

    /** Returns the error for the case that no port is left. */
    public String portsUsedUp() {
        if (explicitPorts()) {
            return "all pairs of LocalAddresses and LocalPorts are in use: add addresses";
        }
        return "no source ports are left on " + (addresses.isEmpty() ? "this machine" : addresses.size() + " addresses")
                + " (ip_local_port_range is " + portRange() + "): set LocalAddresses to more addresses";
    }

    private static String portRange() {
        try {
            return Files.readString(PORT_RANGE).strip().replaceAll("\\s+", "-");
        } catch (IOException e) {
            return "not readable";
        }
    }
}
