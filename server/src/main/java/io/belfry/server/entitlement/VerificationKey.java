package io.belfry.server.entitlement;

import java.security.Key;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * A key for verifying tokens, with its single algorithm. Any thread; a withdrawn key stays withdrawn.
 */
final class VerificationKey {
    private final @Nullable String id;
    private final Algorithm algorithm;
    private final Key key;
    private volatile boolean withdrawn;

    VerificationKey(@Nullable String id, Algorithm algorithm, Key key) {
        this.id = id;
        this.algorithm = algorithm;
        this.key = key;
    }

    @Nullable
    String id() {
        return id;
    }

    Algorithm algorithm() {
        return algorithm;
    }

    Key key() {
        return key;
    }

    boolean isWithdrawn() {
        return withdrawn;
    }

    void withdraw() {
        withdrawn = true;
    }

    /** Returns whether this is the same key for the same algorithm, under any id. */
    boolean isSameAs(VerificationKey other) {
        return algorithm == other.algorithm && MessageDigest.isEqual(key.getEncoded(), other.key.getEncoded());
    }
}
