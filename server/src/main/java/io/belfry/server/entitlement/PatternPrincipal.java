package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Permissions by patterns, until an expiry. Immutable except for the key behind it. A check costs one comparison per
 * pattern, so their number is bounded; nothing is cached, so that one principal serves any number of sessions.
 */
final class PatternPrincipal implements Principal {
    /** Maximum number of patterns of each kind in one token. */
    static final int PATTERNS_MAX = 256;

    private static final Decision.Denied NO_SUBSCRIBE =
            new Decision.Denied(Code.SUBSCRIBE_DENIED, "the token does not allow this subscription");
    private static final Decision.Denied NO_PUBLISH =
            new Decision.Denied(Code.PUBLISH_DENIED, "the token does not allow publishing here");

    private final byte[][] subscribe;
    private final byte[][] publish;
    private final boolean system;
    private final long expiresMillis;
    private final @Nullable VerificationKey key;

    /**
     * Creates a principal; throws an IllegalArgumentException that names the fault of an invalid pattern. With
     * {@code system} it may subscribe to the server's own subjects too.
     */
    PatternPrincipal(
            Collection<String> subscribe,
            Collection<String> publish,
            boolean system,
            long expiresMillis,
            @Nullable VerificationKey key) {
        this.subscribe = patterns(subscribe);
        this.publish = patterns(publish);
        this.system = system;
        this.expiresMillis = expiresMillis;
        this.key = key;
    }

    private static byte[][] patterns(Collection<String> texts) {
        Set<String> distinct = new LinkedHashSet<>(texts);
        if (distinct.size() > PATTERNS_MAX) {
            throw new IllegalArgumentException("more than " + PATTERNS_MAX + " patterns");
        }
        return List.copyOf(distinct).stream().map(PatternPrincipal::pattern).toArray(byte[][]::new);
    }

    private static byte[] pattern(String text) {
        byte[] pattern = text.getBytes(StandardCharsets.UTF_8);
        String problem = Subjects.problem(pattern, 0, pattern.length, true);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return pattern;
    }

    @Override
    public Decision maySubscribe(byte[] subject, long nowMillis) {
        if (Subjects.isOfServer(subject)) {
            Decision.Denied ended = ended(nowMillis);
            return ended != null ? ended : system ? Decision.ALLOWED : NO_SYSTEM;
        }
        return decide(subscribe, subject, subject.length, nowMillis, NO_SUBSCRIBE);
    }

    @Override
    public Decision mayPublish(byte[] subject, int length, long nowMillis) {
        return decide(publish, subject, length, nowMillis, NO_PUBLISH);
    }

    private Decision decide(byte[][] patterns, byte[] subject, int length, long nowMillis, Decision otherwise) {
        Decision.Denied ended = ended(nowMillis);
        if (ended != null) {
            return ended;
        }
        for (byte[] pattern : patterns) {
            if (Subjects.covers(pattern, subject, length)) {
                return Decision.ALLOWED;
            }
        }
        return otherwise;
    }

    @Override
    public long expiresMillis() {
        return expiresMillis;
    }

    @Override
    public boolean isWithdrawn() {
        return key != null && key.isWithdrawn();
    }
}
