package io.belfry.client;

import io.belfry.client.connection.Ending;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Classifies the ends of connections and the codes of errors for the next attempt, as in the tables "Close" and "Codes"
 * of docs/protocol.md. Pure.
 */
final class Refusals {
    private static final Set<Integer> FINAL_STATUSES = Set.of(400, 401, 403, 404, 405, 413, 426, 431, 501);
    private static final Set<Integer> FINAL_CLOSES = Set.of(1002, 1003, 1007, 1008, 1009, 4014);
    private static final Set<String> OF_SUBSCRIPTIONS = Set.of(
            "bad-subject",
            "bad-position",
            "wildcard-not-allowed",
            "subscribe-denied",
            "too-many-subjects",
            "too-many-patterns",
            "patterns-full",
            "subjects-full",
            "unsupported");

    private static final Set<String> OF_CONNECTIONS =
            Set.of("drain", "shutdown", "not-ready", "slow-consumer", "ping-timeout", "handshake-timeout");

    /** Codes of a server that starts, drains, or is disconnected from its cluster. */
    private static final Set<String> SERVER_ONLY = Set.of("drain", "shutdown", "not-ready");

    /** The codes that reject the name of a client, each with the HTTP status that belongs to it. */
    private static final Map<String, Integer> OF_NAMES = Map.of("unsupported", 501, "client-names-full", 503);

    /** The codes that reject a connect for a rate. */
    private static final Set<String> OF_RATES = Set.of("command-rate", "token-rate");

    private static final int TOO_MANY = 429;

    private static final Set<String> TRANSIENT = Set.of("publish-unknown", "cluster-unreachable", "cluster-full");

    private Refusals() {}

    /** Whether a publish rejected with this code may succeed soon, on this or another connection. */
    static boolean isTransient(String code) {
        return TRANSIENT.contains(code);
    }

    /** Whether the same attempt would be rejected again. */
    static boolean isFinal(Ending ending) {
        return switch (ending.cause()) {
            case REFUSED -> FINAL_STATUSES.contains(ending.number());
            case CLOSED_BY_SERVER -> FINAL_CLOSES.contains(ending.number());
            default -> false;
        };
    }

    /**
     * Whether the end concerns this server only. An overloaded server does not count, because the others may soon be
     * overloaded too.
     */
    static boolean concernsServerOnly(Ending ending) {
        return SERVER_ONLY.contains(ending.code());
    }

    /** Whether the token was rejected. */
    static boolean isAboutToken(Ending ending) {
        return ending.number() == 401 || ending.code().equals("unauthorized");
    }

    /**
     * Returns the end of an attempt whose {@code connect} the server rejected for a rate, or for the name of the client. Returns null
     * for other codes: the server closes the connection itself, or accepts it without what was asked.
     */
    static @Nullable Ending ofConnect(String code, String reason, long afterMillis, boolean hasName) {
        if (OF_RATES.contains(code)) {
            String sentence = "the server rejected connect: " + reason;
            return new Ending(Ending.Cause.REFUSED, sentence, TOO_MANY, code, afterMillis);
        }
        Integer status = hasName ? OF_NAMES.get(code) : null;
        String sentence = "the server rejected the name of the client: " + reason;
        return status == null ? null : new Ending(Ending.Cause.REFUSED, sentence, status, code, 0);
    }

    /** Whether the code rejects a subscription. */
    static boolean isOfSubscription(String code) {
        return OF_SUBSCRIPTIONS.contains(code);
    }

    /** Whether the code rejects the position of a pattern, which another server or version gave. */
    static boolean isOfPosition(String code) {
        return code.equals("wildcard-not-allowed") || code.equals("bad-position");
    }

    /** Whether the same command will be accepted after the time in the error. */
    static boolean isRateLimit(String code) {
        return code.equals("command-rate");
    }

    /** Whether the code concerns the connection and not the request, which can be repeated on another connection. */
    static boolean isOfConnection(String code) {
        return OF_CONNECTIONS.contains(code);
    }

    /** Returns the server's code, or the kind of ending if the server gave none. */
    static String code(Ending ending) {
        return ending.code().isEmpty()
                ? ending.cause().name().toLowerCase(Locale.ROOT).replace('_', '-')
                : ending.code();
    }
}
