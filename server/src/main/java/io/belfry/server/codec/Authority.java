package io.belfry.server.codec;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A host in lower case (IPv6 with its brackets) and a port; the port is -1 if absent. Immutable. */
record Authority(String host, int port) {
    static final int NO_PORT = -1;

    private static final int HOST_BYTES_MAX = 255;

    static @Nullable Authority parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!isValid(bytes, 0, bytes.length)) {
            return null;
        }
        int hostEnd = hostEnd(bytes, 0, bytes.length);
        String port = hostEnd == bytes.length ? "" : text.substring(hostEnd + 1);
        return new Authority(
                text.substring(0, hostEnd).toLowerCase(Locale.ROOT), port.isEmpty() ? NO_PORT : Integer.parseInt(port));
    }

    int portOr(int defaultPort) {
        return port == NO_PORT ? defaultPort : port;
    }

    /**
     * Returns whether the range is {@code host}, {@code host:port} or {@code [ipv6]:port}, without user information.
     */
    static boolean isValid(byte[] bytes, int start, int end) {
        int hostEnd = hostEnd(bytes, start, end);
        if (hostEnd <= start || hostEnd - start > HOST_BYTES_MAX) {
            return false;
        }
        return hostEnd == end || (bytes[hostEnd] == ':' && isPort(bytes, hostEnd + 1, end));
    }

    /** Returns the index at which the host ends; -1 if the range does not begin with a host. */
    private static int hostEnd(byte[] bytes, int start, int end) {
        if (start < end && bytes[start] == '[') {
            return ipv6End(bytes, start + 1, end);
        }
        int at = start;
        while (at < end && HttpChars.isHost(bytes[at])) {
            at++;
        }
        return at == start ? -1 : at;
    }

    private static int ipv6End(byte[] bytes, int start, int end) {
        int colons = 0;
        for (int at = start; at < end; at++) {
            byte b = bytes[at];
            if (b == ']') {
                return colons >= 2 && colons <= 8 ? at + 1 : -1;
            }
            if (b == ':') {
                colons++;
            } else if (b != '.' && HttpChars.hex(b) < 0) {
                return -1;
            }
        }
        return -1;
    }

    private static boolean isPort(byte[] bytes, int start, int end) {
        if (end - start > 5) {
            return false;
        }
        int port = 0;
        for (int at = start; at < end; at++) {
            if (!HttpChars.isDigit(bytes[at])) {
                return false;
            }
            port = port * 10 + bytes[at] - '0';
        }
        return port <= 65535;
    }
}
