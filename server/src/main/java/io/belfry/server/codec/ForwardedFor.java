package io.belfry.server.codec;

import java.net.InetAddress;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who a request comes from by what proxies wrote into X-Forwarded-For. Each proxy appends where it was asked from, so the
 * last element is the word of the one that is connected, and what stands before is worth as much as the one who wrote it.
 * Pure.
 */
public final class ForwardedFor {
    private ForwardedFor() {}

    /**
     * The last address that is no trusted proxy's; null where there is none, or something else than an address stands there.
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

    /** With or without a port; some proxies write one. */
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
