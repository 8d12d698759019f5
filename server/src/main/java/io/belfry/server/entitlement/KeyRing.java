package io.belfry.server.entitlement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The present keys. Any thread reads; one thread at a time calls {@link #replace}. A key that is still present keeps its
 * object. A removed key is withdrawn, with the permissions that were granted for its tokens.
 */
final class KeyRing {
    private volatile List<VerificationKey> keys = List.of();

    boolean isEmpty() {
        return keys.isEmpty();
    }

    /** Returns whether verifying a token costs no more than a hash. */
    boolean isCheap() {
        for (VerificationKey key : keys) {
            if (!key.algorithm().isSymmetric()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the keys with which a token may be verified: of its algorithm, and of its key id if it names one. */
    List<VerificationKey> candidates(@Nullable String id, @Nullable String algorithm) {
        List<VerificationKey> found = new ArrayList<>(1);
        for (VerificationKey key : keys) {
            boolean named = id == null || key.id() == null || id.equals(key.id());
            if (named && key.algorithm().text().equals(algorithm)) {
                found.add(key);
            }
        }
        return found;
    }

    synchronized void replace(List<VerificationKey> next) {
        List<VerificationKey> merged = new ArrayList<>();
        for (VerificationKey key : next) {
            merged.add(known(key));
        }
        List<VerificationKey> before = keys;
        keys = List.copyOf(merged);
        before.stream().filter(key -> !merged.contains(key)).forEach(VerificationKey::withdraw);
    }

    private VerificationKey known(VerificationKey key) {
        for (VerificationKey each : keys) {
            if (each.isSameAs(key) && java.util.Objects.equals(each.id(), key.id())) {
                return each;
            }
        }
        return key;
    }
}
