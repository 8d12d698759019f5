package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.protocol.ReplyInboxes;
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
class PatternPrincipal implements Principal {
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
    private final @Nullable String user;

    /**
     * Creates a principal; throws an IllegalArgumentException that names the fault of an invalid pattern or name. With
     * {@code system} it may subscribe to the server's own subjects too. A segment {@code {user}} of a pattern stands for the name of
     * the user.
     */
    PatternPrincipal(
            Collection<String> subscribe,
            Collection<String> publish,
            boolean system,
            long expiresMillis,
            @Nullable VerificationKey key,
            @Nullable String user) {
        String problem = user == null ? null : UserNames.problem(user);
        if (problem != null) {
            throw new IllegalArgumentException("the name of the user " + problem);
        }
        this.user = user;
        this.subscribe = patterns(subscribe, user);
        this.publish = patterns(publish, user);
        this.system = system;
        this.expiresMillis = expiresMillis;
        this.key = key;
    }

    private static byte[][] patterns(Collection<String> texts, @Nullable String user) {
        Set<String> distinct = new LinkedHashSet<>(texts);
        if (distinct.size() > PATTERNS_MAX) {
            throw new IllegalArgumentException("more than " + PATTERNS_MAX + " patterns");
        }
        return List.copyOf(distinct).stream()
                .map(text -> pattern(UserNames.expanded(text, user)))
                .toArray(byte[][]::new);
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
            if (ReplyInboxes.isInbox(subject, subject.length)) {
                return mayHaveInbox(subject, nowMillis);
            }
            Decision.Denied ended = ended(nowMillis);
            return ended != null ? ended : system ? Decision.ALLOWED : ofServer(subject, nowMillis);
        }
        return decide(subscribe, subject, subject.length, nowMillis, NO_SUBSCRIBE);
    }

    /** Decides without the system permission. A client that may subscribe to a subject may see its members. */
    private Decision ofServer(byte[] subject, long nowMillis) {
        if (!Subjects.isPresence(subject)) {
            return NO_SYSTEM;
        }
        byte[] of = Subjects.ofPresence(subject);
        return Subjects.isOfServer(of) ? NO_SYSTEM : decide(subscribe, of, of.length, nowMillis, NO_SUBSCRIBE);
    }

    @Override
    public Decision mayPublish(byte[] subject, int length, long nowMillis) {
        Decision decision = decide(publish, subject, length, nowMillis, NO_PUBLISH);
        boolean notListed = decision instanceof Decision.Denied denied && denied.code() == Code.PUBLISH_DENIED;
        return notListed && publish.length > 0 && ReplyInboxes.isInbox(subject, length) ? Decision.ALLOWED : decision;
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
    public @Nullable String user() {
        return user;
    }

    @Override
    public boolean isWithdrawn() {
        return key != null && key.isWithdrawn();
    }
}
