package io.belfry.server.entitlement;

import io.belfry.protocol.Code;

/** What one client may do. Shared by all clients it holds for, and by any thread. */
public interface Principal {
    /** Instead of a moment that never comes. */
    long NEVER = Long.MAX_VALUE;

    Decision.Denied TOKEN_EXPIRED = new Decision.Denied(Code.TOKEN_EXPIRED, "the token has expired");
    Decision.Denied WITHDRAWN =
            new Decision.Denied(Code.UNAUTHORIZED, "what the token was accepted by has been withdrawn");

    /** Of a subject or a whole pattern. */
    Decision maySubscribe(byte[] subject, long nowMillis);

    /** Asked for each publish: must not allocate when it allows. */
    Decision mayPublish(byte[] subject, int length, long nowMillis);

    /** Until when it holds, in milliseconds since 1970. A session that has no other by then is closed. */
    default long expiresMillis() {
        return NEVER;
    }

    /** Why a session is closed at that moment. */
    default Decision.Denied expiry() {
        return TOKEN_EXPIRED;
    }

    /** Whether a client is told some time before, so that it can show a new token. */
    default boolean warnsOfExpiry() {
        return true;
    }

    /** Whether the key or token that it was granted for counts no longer: a session that has no other is closed. */
    default boolean isWithdrawn() {
        return false;
    }
}
