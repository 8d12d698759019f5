package io.belfry.server.transport;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * What counts as one address: a whole one of IPv4, the first 64 bits of one of IPv6. Whoever has one of the latter has
 * the other 2^64 beside it, and could fill any table of single ones. Immutable.
 */
record AddressKey(long bits, boolean v6) {
    static AddressKey of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet6Address
                ? new AddressKey(bytes.getLong(), true)
                : new AddressKey(bytes.getInt(), false);
    }
}
