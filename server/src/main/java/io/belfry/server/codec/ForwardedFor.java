package io.belfry.server.codec;

import java.net.InetAddress;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Determines the client address of a request from X-Forwarded-For. Each proxy appends the address of its own peer, so
 * the connected proxy wrote the last element. An earlier element is trusted only if a trusted proxy wrote it. Pure.
 */
public final class ForwardedFor {
    private ForwardedFor() {}

    /**
     * Returns the last address in the list that does not belong to a trusted proxy. Returns null if there is none, or
     * if an element that is not an address is found first.
     *
     * @param list the values of all fields of the name, joined by commas
     */
    public static @Nullable InetAddress client(@Nullable String list, Predicate<InetAddress> trusted) {
        int end = list == null ? 0 : list.length();
        while (list != null && end > 0) {
            int comma = list.lastIndexOf(',', end - 1);
            InetAddress address = address(list.substring(comma + 1, end).strip());
            if (address == null || !trusted.test(address)) {
                return address;
            }
            end = comma;
        }
        return null;
    }

    /** Parses an address with or without a port, because some proxies append the port. */
    private static @Nullable InetAddress address(String text) {
        String host = text;
        int colon = text.lastIndexOf(':');
        if (text.startsWith("[")) {
            int bracket = text.indexOf(']');
            host = bracket < 0 ? "" : text.substring(1, bracket);
        } else if (colon >= 0 && text.indexOf(':') == colon) {
            host = text.substring(0, colon);
        }
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException noAddress) {
            return null;
        }
    }
}
