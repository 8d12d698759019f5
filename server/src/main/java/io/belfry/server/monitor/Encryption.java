package io.belfry.server.monitor;

import java.time.Instant;
import java.util.function.Supplier;

/**
 * Facts about the encryption of clients' connections. Immutable; any thread may call the function.
 *
 * @param provider name of the TLS implementation
 * @param certificateExpires returns the expiry of the current certificate, which can be replaced at run time
 */
public record Encryption(String provider, Supplier<Instant> certificateExpires) {}
