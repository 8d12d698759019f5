package io.belfry.server.monitor;

import java.time.Instant;
import java.util.function.Supplier;

/**
 * What clients' connections are encrypted with. Immutable; any thread may ask.
 *
 * @param provider whose code encrypts
 * @param certificateExpires asked anew each time, because the certificate is replaced at run time
 */
public record Encryption(String provider, Supplier<Instant> certificateExpires) {}
