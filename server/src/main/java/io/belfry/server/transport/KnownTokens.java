package io.belfry.server.transport;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The last few tokens that an address was let in with, by a hash: who has the hash of one but not the token gains a look at
 * his own, which is what the hash decides about and nothing else. Any thread.
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

    /** Never 0, which is the hash of none. */
    private static long hash(String token) {
        return (long) token.hashCode() << 32 | token.length() + 1;
    }
}
