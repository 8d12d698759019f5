package io.belfry.server.transport;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Remembers hashes of the last tokens accepted from an address; such tokens are checked even if the address is over its
 * limit of failed tokens. A forged token with the same hash gains only this check. Any thread.
 */
final class KnownTokens {
    private static final int KEPT = 8;

    private final AtomicLongArray hashes = new AtomicLongArray(KEPT);
    private final AtomicInteger next = new AtomicInteger();

    boolean has(String token) {
        long wanted = hash(token);
        for (int i = 0; i < KEPT; i++) {
            if (hashes.get(i) == wanted) {
                return true;
            }
        }
        return false;
    }

    void add(String token) {
        if (!has(token)) {
            hashes.set(Math.floorMod(next.getAndIncrement(), KEPT), hash(token));
        }
    }

    /** Returns a hash that is never 0, because 0 marks an empty entry. */
    private static long hash(String token) {
        return (long) token.hashCode() << 32 | token.length() + 1;
    }
}
