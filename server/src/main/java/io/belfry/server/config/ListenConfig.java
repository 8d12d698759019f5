package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Where clients connect and which pages may. No allowed origins means that only pages of the server's own origin may.
 * Immutable.
 */
public record ListenConfig(
        List<ListenAddress> plain, List<ListenAddress> encrypted, NativeIo nativeIo, List<String> allowedOrigins) {
    /** Which of the system's ways of reading many sockets is used. */
    public enum NativeIo {
        AUTO,
        EPOLL,
        NIO,
        IO_URING
    }

    public ListenConfig {
        plain = List.copyOf(plain);
        encrypted = List.copyOf(encrypted);
        allowedOrigins = List.copyOf(allowedOrigins);
        InvalidSetting.unless(
                !plain.isEmpty() || !encrypted.isEmpty(),
                "Listen",
                "none",
                "needs an address unless ListenEncrypted has");
        requireDistinct(plain, encrypted);
        allowedOrigins.forEach(ListenConfig::requireOrigin);
    }

    /** Whether pages of every origin may connect. */
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

    // RFC 6454: scheme://host[:port], nothing behind it; a trailing slash would never match what browsers send.
    private static void requireOrigin(String origin) {
        if (!origin.equals("*") && !origin.matches("[A-Za-z][A-Za-z0-9+.-]*://[^/\\s?#@]+")) {
            throw new InvalidSetting(
                    "AllowedOrigins",
                    origin + " is no origin; must be * or such as https://www.example.com, without a path");
        }
    }
}
