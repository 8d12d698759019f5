package io.belfry.server.transport;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * The key under which an address is counted: a complete IPv4 address, or the first 64 bits of an IPv6 address. An IPv6
 * client controls all 2^64 addresses of its network, and could fill a table of single addresses. Immutable.
 */
record AddressKey(long bits, boolean v6) {
    static AddressKey of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet6Address
                ? new AddressKey(bytes.getLong(), true)
                : new AddressKey(bytes.getInt(), false);
    }

    /** Returns the address, or the network of an IPv6 address: {@code 192.0.2.1}, {@code 2001:db8:0:0::/64}. */
    @Override
    public String toString() {
        return v6
                ? "%x:%x:%x:%x::/64".formatted(part(48, 0xffff), part(32, 0xffff), part(16, 0xffff), part(0, 0xffff))
                : part(24, 0xff) + "." + part(16, 0xff) + "." + part(8, 0xff) + "." + part(0, 0xff);
    }

    private long part(int shift, int mask) {
        return bits >> shift & mask;
    }
}
