package io.belfry.server.entitlement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of now. Any thread reads; {@link #replace} is called by one at a time. A key that is there again keeps its
 * object, and one that is not any more is withdrawn, and with it what was granted for its tokens.
 */
final class KeyRing {
    private volatile List<VerificationKey> keys = List.of();

    boolean isEmpty() {
        return keys.isEmpty();
    }

    /** Whether a look at a token costs no more than a hash. */
    boolean isCheap() {
        for (VerificationKey key : keys) {
            if (!key.algorithm().isSymmetric()) {
                return false;
            }
        }
        return true;
    }

    /** Those a token may be verified with: of its algorithm, and of its key id where it names one. */
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
