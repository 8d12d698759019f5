package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.server.entitlement.Entitlement.Answer;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The application's reply to a question. Immutable.
 *
 * @param ttlMillis time for which the same question has this answer; 0 for none
 */
record DecisionReply(Answer answer, long ttlMillis) {
    private static final int REASON_CHARS_MAX = 256;

    /** Parses a reply. Throws an IllegalArgumentException that names the fault, and never grants anything then. */
    static DecisionReply parse(byte[] body) {
        Map<String, Object> json = object(body);
        return new DecisionReply(allows(json) ? accepted(json) : refused(json), ttlMillis(json));
    }

    static boolean allows(Map<String, Object> json) {
        if (json.get("allow") instanceof Boolean allow) {
            return allow;
        }
        throw new IllegalArgumentException("allow must be true or false");
    }

    static long ttlMillis(Map<String, Object> json) {
        return Math.max(0, millis(json, "ttl", 0));
    }

    static Map<String, Object> object(byte[] body) {
        try {
            return JsonObjects.read(body);
        } catch (IOException invalid) {
            throw new IllegalArgumentException("the body is not a JSON object", invalid);
        }
    }

    private static Answer accepted(Map<String, Object> json) {
        if (json.get("permissions") != null && !(json.get("permissions") instanceof Map)) {
            throw new IllegalArgumentException("permissions must be an object");
        }
        Map<?, ?> permissions = json.get("permissions") instanceof Map<?, ?> map ? map : Map.of();
        return new Answer.Accepted(
                JwtVerifier.principal(permissions, millis(json, "until", Principal.NEVER), null, text(json, "user")));
    }

    private static Answer refused(Map<String, Object> json) {
        String reason = text(json, "reason");
        String code = text(json, "code");
        Code refusal = switch (code == null ? "unauthorized" : code) {
            case "unauthorized" -> Code.UNAUTHORIZED;
            case "not-ready" -> Code.NOT_READY;
            default -> throw new IllegalArgumentException("code must be unauthorized or not-ready");
        };
        return new Answer.Rejected(refusal, reason == null ? "the application refuses this client" : shortened(reason));
    }

    static String shortened(String reason) {
        return reason.substring(0, Math.min(reason.length(), REASON_CHARS_MAX));
    }

    static @Nullable String text(Map<String, Object> json, String name) {
        Object value = json.get(name);
        if (value != null && !(value instanceof String)) {
            throw new IllegalArgumentException(name + " must be a string");
        }
        return (String) value;
    }

    /** Returns a number of seconds as milliseconds. */
    private static long millis(Map<String, Object> json, String name, long otherwise) {
        Object value = json.get(name);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Number seconds) || !Double.isFinite(seconds.doubleValue())) {
            throw new IllegalArgumentException(name + " must be a number of seconds");
        }
        return seconds.doubleValue() >= JwtVerifier.SECONDS_MAX
                ? Principal.NEVER
                : (long) (seconds.doubleValue() * 1000);
    }
}
