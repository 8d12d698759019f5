package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Addresses for clients, and origins of web pages that may connect. An empty {@code allowedOrigins} allows only pages
 * of the server's own origin. Immutable.
 */
public record ListenConfig(
        List<ListenAddress> plain, List<ListenAddress> encrypted, NativeIo nativeIo, List<String> allowedOrigins) {
    /** I/O mechanism of the operating system that reads the sockets. */
    public enum NativeIo {
        AUTO,
        EPOLL,
        NIO,
        IO_URING,
        /** Epoll, with a channel of Netty for each connection. */
        CHANNELS
    }

    public ListenConfig {
        plain = List.copyOf(plain);
        encrypted = List.copyOf(encrypted);
        allowedOrigins = List.copyOf(allowedOrigins);
        InvalidSetting.unless(
                !plain.isEmpty() || !encrypted.isEmpty(),
                "Listen",
                "none",
                "needs an address, because ListenEncrypted has none");
        requireDistinct(plain, encrypted);
        allowedOrigins.forEach(ListenConfig::requireOrigin);
    }

    /** Returns whether pages of every origin may connect. */
    public boolean anyOrigin() {
        return allowedOrigins.contains("*");
    }

    private static void requireDistinct(List<ListenAddress> plain, List<ListenAddress> encrypted) {
        Set<ListenAddress> seen = new HashSet<>();
        Stream.concat(plain.stream(), encrypted.stream())
                .filter(address -> address.port() != 0 && !seen.add(address))
                .findFirst()
                .ifPresent(address -> {
                    throw new InvalidSetting("Listen", "the address " + address + " is listed twice");
                });
    }

    // RFC 6454: scheme://host[:port]. A trailing slash is rejected, because it would never match a browser's Origin.
    private static void requireOrigin(String origin) {
        if (!origin.equals("*") && !origin.equals("web") && !origin.matches("[A-Za-z][A-Za-z0-9+.-]*://[^/\\s?#@]+")) {
            throw new InvalidSetting(
                    "AllowedOrigins",
                    origin + " is not an origin; must be *, web or such as https://www.example.com, without a path");
        }
    }
}
