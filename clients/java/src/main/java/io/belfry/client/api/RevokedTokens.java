package io.belfry.client.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Tokens to revoke. Immutable.
 *
 * @param user revokes the tokens of this user; null for others
 * @param jti revokes the token with this id; null for others
 * @param issuedBefore revokes tokens that were issued before this time; null for the present time
 * @param until time at which the last of these tokens has expired
 */
public record RevokedTokens(
        @Nullable String user,
        @Nullable String jti,
        @Nullable Instant issuedBefore,
        Instant until) {
    /** Revokes the tokens of a user that were issued until now. */
    public static RevokedTokens ofUser(String user, Instant until) {
        return new RevokedTokens(user, null, null, until);
    }

    /** Revokes one token by its id. */
    public static RevokedTokens ofToken(String jti, Instant until) {
        return new RevokedTokens(null, jti, null, until);
    }

    /** Revokes all tokens that were issued before a time. */
    public static RevokedTokens ofAll(Instant issuedBefore, Instant until) {
        return new RevokedTokens(null, null, issuedBefore, until);
    }
}
