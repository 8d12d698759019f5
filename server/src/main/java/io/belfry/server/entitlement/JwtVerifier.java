package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.server.config.JwtConfig;
import io.belfry.server.entitlement.Entitlement.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * Verifies tokens and reads their permissions. Any thread; a call costs the verification of a signature. A token chooses
 * nothing: its algorithm must be that of the key, so {@code none} finds no key, and a public key verifies no HMAC.
 */
final class JwtVerifier {
    /** Maximum length of a token: what fits into the head of a request, although a {@code connect} command could carry more. */
    static final int TOKEN_CHARS_MAX = 16 * 1024;

    private static final Answer NOT_A_TOKEN = new Answer.Rejected("the token is not a signed JWT");
    private static final Answer NO_KEY = new Answer.Rejected("no key fits this token");

    /** The token names an unknown key, which may be a new one. */
    static final Answer UNKNOWN_KEY = new Answer.Rejected("no key has the id that the token names (kid)");

    private static final Answer NOT_SIGNED = new Answer.Rejected("the token's signature is invalid");
    private static final Answer EXPIRED = new Answer.Rejected(Code.TOKEN_EXPIRED, Principal.TOKEN_EXPIRED.reason());
    private static final Answer NO_EXPIRY = new Answer.Rejected("the token has no exp");
    private static final Answer TOO_EARLY = new Answer.Rejected("the token is not valid yet (nbf)");
    private static final Answer OTHER_ISSUER = new Answer.Rejected("the token has another issuer (iss)");
    private static final Answer OTHER_AUDIENCE = new Answer.Rejected("the token has another audience (aud)");
    private static final Answer REVOKED =
            new Answer.Rejected(RevocablePrincipal.REVOKED.code(), RevocablePrincipal.REVOKED.reason());
    private static final Answer NOT_READY =
            new Answer.Rejected(Code.NOT_READY, "the keys for tokens have not been fetched yet");

    /** The largest number of seconds whose milliseconds fit into a long. */
    static final double SECONDS_MAX = 9.2e15;

    private final KeyRing ring;
    private final JwtConfig config;
    private final LongSupplier nowMillis;
    private final @Nullable Revocations revocations;

    JwtVerifier(KeyRing ring, JwtConfig config, LongSupplier nowMillis) {
        this(ring, config, nowMillis, null);
    }

    /** Creates a verifier; {@code revocations} is null if no token can be revoked. */
    JwtVerifier(KeyRing ring, JwtConfig config, LongSupplier nowMillis, @Nullable Revocations revocations) {
        this.ring = ring;
        this.config = config;
        this.nowMillis = nowMillis;
        this.revocations = revocations;
    }

    Answer verify(String token) {
        if (ring.isEmpty()) {
            return NOT_READY;
        }
        if (token.length() > TOKEN_CHARS_MAX || !isCompact(token)) {
            return NOT_A_TOKEN;
        }
        try {
            JsonWebSignature signed = new JsonWebSignature();
            signed.setCompactSerialization(token);
            return verify(signed);
        } catch (JoseException | InvalidJwtException | MalformedClaimException | RuntimeException e) {
            // The exception's message may contain parts of the token.
            return NOT_A_TOKEN;
        }
    }

    /** RFC 7515, section 3.1. The library ignores characters outside base64url, so one token would have many forms. */
    private static boolean isCompact(String token) {
        int dots = 0;
        for (int i = 0; i < token.length(); i++) {
            char c = token.charAt(i);
            boolean letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            if (c == '.') {
                dots++;
            } else if (!letter && c != '-' && c != '_') {
                return false;
            }
        }
        return dots == 2;
    }

    private Answer verify(JsonWebSignature signed) throws JoseException, InvalidJwtException, MalformedClaimException {
        String id = signed.getKeyIdHeaderValue();
        List<VerificationKey> candidates = ring.candidates(id, signed.getAlgorithmHeaderValue());
        for (VerificationKey key : candidates) {
            signed.setAlgorithmConstraints(new AlgorithmConstraints(
                    ConstraintType.PERMIT, key.algorithm().text()));
            signed.setKey(key.key());
            if (signed.verifySignature()) {
                return answer(JwtClaims.parse(signed.getPayload()), key);
            }
        }
        if (candidates.isEmpty()) {
            return id == null ? NO_KEY : UNKNOWN_KEY;
        }
        return NOT_SIGNED;
    }

    private Answer answer(JwtClaims claims, VerificationKey key) throws MalformedClaimException {
        long now = nowMillis.getAsLong();
        Long expires = millis(claims, "exp");
        Long from = millis(claims, "nbf");
        if (expires == null && config.requireExpiry()) {
            return NO_EXPIRY;
        }
        long untilMillis = expires == null ? Principal.NEVER : later(expires);
        if (now >= untilMillis) {
            return EXPIRED;
        }
        if (from != null && now + config.leewayMillis() < from) {
            return TOO_EARLY;
        }
        if (config.issuer().isPresent() && !config.issuer().get().equals(claims.getIssuer())) {
            return OTHER_ISSUER;
        }
        if (config.audience().isPresent()
                && !(claims.hasAudience()
                        && claims.getAudience().contains(config.audience().get()))) {
            return OTHER_AUDIENCE;
        }
        Revocations.Token token = Revocations.Token.of(
                claims.getSubject(), revocations == null ? null : claims.getJwtId(), millis(claims, "iat"));
        if (revocations != null && revocations.revokes(token)) {
            return REVOKED;
        }
        return permitted(claims.getClaimValue("permissions"), untilMillis, key, token);
    }

    /** Returns the time of a claim in seconds as milliseconds, limited to the range of a long. */
    private static @Nullable Long millis(JwtClaims claims, String name) throws MalformedClaimException {
        Number seconds = claims.getClaimValue(name, Number.class);
        if (seconds == null) {
            return null;
        }
        // Read as a double whatever the number's form, because a long may have overflowed already.
        double about = seconds.doubleValue();
        if (Math.abs(about) >= SECONDS_MAX) {
            return about > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
        }
        return seconds.longValue() * 1000;
    }

    private long later(long millis) {
        long with = millis + config.leewayMillis();
        return with < millis ? Principal.NEVER : with;
    }

    private Answer permitted(@Nullable Object claim, long untilMillis, VerificationKey key, Revocations.Token token) {
        if (claim != null && !(claim instanceof Map)) {
            return new Answer.Rejected("the token's permissions are not a JSON object");
        }
        Map<?, ?> permissions = claim instanceof Map<?, ?> map ? map : Map.of();
        String user = token.user();
        if (user != null && UserNames.problem(user) != null) {
            return new Answer.Rejected("the token's sub " + UserNames.problem(user));
        }
        try {
            if (revocations == null) {
                return new Answer.Accepted(principal(permissions, untilMillis, key, user));
            }
            Principal revocable = new RevocablePrincipal(
                    subscribePatterns(permissions),
                    publishPatterns(permissions),
                    isSystem(permissions.get("system")),
                    untilMillis,
                    key,
                    token,
                    revocations);
            return new Answer.Accepted(InformedPrincipal.of(revocable, permissions.get("info")));
        } catch (IllegalArgumentException e) {
            return new Answer.Rejected("the token's permissions: " + e.getMessage());
        }
    }

    /** Returns the principal of a JSON object of permissions. Throws an IllegalArgumentException that names a fault. */
    static Principal principal(
            Map<?, ?> permissions, long untilMillis, @Nullable VerificationKey key, @Nullable String user) {
        PatternPrincipal rights = new PatternPrincipal(
                subscribePatterns(permissions),
                publishPatterns(permissions),
                isSystem(permissions.get("system")),
                untilMillis,
                key,
                user);
        return InformedPrincipal.of(rights, permissions.get("info"));
    }

    private static List<String> subscribePatterns(Map<?, ?> permissions) {
        return joined(patterns(permissions.get("sub")), patterns(permissions.get("all")));
    }

    private static List<String> publishPatterns(Map<?, ?> permissions) {
        return joined(patterns(permissions.get("pub")), patterns(permissions.get("all")));
    }

    private static boolean isSystem(@Nullable Object value) {
        if (value != null && !(value instanceof Boolean)) {
            throw new IllegalArgumentException("system must be true or false");
        }
        return Boolean.TRUE.equals(value);
    }

    private static List<String> joined(List<String> some, List<String> more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    private static List<String> patterns(@Nullable Object value) {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list)) {
            throw new IllegalArgumentException("sub, pub and all must be lists");
        }
        List<String> texts = new ArrayList<>();
        for (Object each : list) {
            if (!(each instanceof String text)) {
                throw new IllegalArgumentException("a pattern must be a string");
            }
            texts.add(text);
        }
        return texts;
    }
}
