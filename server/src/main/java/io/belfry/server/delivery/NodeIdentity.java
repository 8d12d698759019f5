package io.belfry.server.delivery;

import java.security.SecureRandom;

/**
 * The name of a node and the number of its start. The name survives restarts; each start has another number. Any
 * thread. The name is set when the listeners are open, before the first session begins.
 */
public final class NodeIdentity {
    private static final int SECRET_BYTES = 32;

    private final String start;
    private final byte[] secret = new byte[SECRET_BYTES];
    private volatile String name = "";

    /** {@code startMillis} is when this process began, in ms since 1970. */
    public NodeIdentity(long startMillis) {
        start = Long.toString(startMillis, Character.MAX_RADIX);
        new SecureRandom().nextBytes(secret);
    }

    public void name(String settled) {
        name = settled;
    }

    public String name() {
        return name;
    }

    /** Returns a random key that nobody else knows and that ends with this process. */
    public byte[] secret() {
        return secret.clone();
    }

    /** Tells this start of the node from all others, in letters and digits. */
    String start() {
        return start;
    }
}
