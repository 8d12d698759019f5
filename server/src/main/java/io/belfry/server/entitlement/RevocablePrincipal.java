package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Permissions of a token that the application may revoke. Any thread. */
final class RevocablePrincipal extends PatternPrincipal {
    static final Decision.Denied REVOKED =
            new Decision.Denied(Code.TOKEN_REVOKED, "the application has revoked the token");

    private final Revocations revocations;
    private final Revocations.Token token;

    /** The version of the list with which the token was compared last; a publish compares numbers only. */
    private volatile int compared;

    private volatile boolean revoked;

    RevocablePrincipal(
            Collection<String> subscribe,
            Collection<String> publish,
            boolean system,
            long expiresMillis,
            @Nullable VerificationKey key,
            Revocations.Token token,
            Revocations revocations) {
        super(subscribe, publish, system, expiresMillis, key, token.user());
        this.token = token;
        this.revocations = revocations;
    }

    private boolean isRevoked() {
        int version = revocations.version();
        if (version != compared) {
            // A revocation that is added meanwhile has a later version, and is found by the next call.
            revoked |= revocations.revokes(token);
            compared = version;
        }
        return revoked;
    }

    @Override
    public boolean isWithdrawn() {
        return isRevoked() || super.isWithdrawn();
    }

    @Override
    public Decision.Denied withdrawal() {
        return revoked ? REVOKED : super.withdrawal();
    }
}
