package io.belfry.server.entitlement;

import java.security.Key;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * A key that tokens are verified with, and the one algorithm it is for. Any thread; once withdrawn it stays so.
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

    /** The same key for the same algorithm, under whatever id. */
    boolean isSameAs(VerificationKey other) {
        return algorithm == other.algorithm && MessageDigest.isEqual(key.getEncoded(), other.key.getEncoded());
    }
}
