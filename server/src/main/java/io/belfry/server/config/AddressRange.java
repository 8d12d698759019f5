package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.net.InetAddress;

/** A range of IP addresses with a common prefix, such as {@code 10.0.0.0/8}, or a single address. Immutable. */
public record AddressRange(InetAddress first, int bits) {
    private static final String RULE = "must be an IP address, or a range such as 10.0.0.0/8 or fd00::/8";

    /** Parses the configuration's form without a name lookup; errors name the key {@code keyName}. */
    static AddressRange parse(String keyName, String text) {
        int slash = text.indexOf('/');
        try {
            InetAddress first = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
            int all = first.getAddress().length * Byte.SIZE;
            int bits = slash < 0 ? all : Integer.parseInt(text.substring(slash + 1));
            if (bits >= 0 && bits <= all) {
                return new AddressRange(first, bits);
            }
        } catch (IllegalArgumentException noAddress) {
            throw new InvalidSetting(keyName, text + " " + RULE);
        }
        throw new InvalidSetting(keyName, text + " " + RULE);
    }

    /** Returns whether the address is in this range; IPv4 and IPv6 addresses never match each other. */
    public boolean contains(InetAddress address) {
        byte[] mine = first.getAddress();
        byte[] other = address.getAddress();
        if (mine.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit += Byte.SIZE) {
            int mask = 0xff00 >> Math.min(Byte.SIZE, bits - bit);
            if (((mine[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the configuration's form. */
    @Override
    public String toString() {
        return first.getHostAddress() + "/" + bits;
    }
}
