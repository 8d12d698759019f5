package io.belfry.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of a connect command. Immutable.
 *
 * @param token the token, or null for none
 * @param pingMillis the requested ping interval, from 1 to {@link #PING_MILLIS_MAX}, or 0 for none
 * @param session the session that the client wants to keep or to continue; null for neither
 * @param client the name of the client, or null for none
 */
public record ConnectRequest(
        @Nullable String token,
        long pingMillis,
        @Nullable KeptSession session,
        @Nullable String client) {
    /** Maximum of a requested ping interval, which the binary encoding writes in 32 bits. */
    public static final long PING_MILLIS_MAX = 0xffff_ffffL;

    /** Maximum number of characters of a client's name. */
    public static final int CLIENT_MAX_CHARS = 64;

    /** Returns whether a text can be the name of a client. */
    public static boolean isClientName(String text) {
        return !text.isEmpty()
                && text.length() <= CLIENT_MAX_CHARS
                && text.chars().allMatch(ConnectRequest::isOfClientName);
    }

    private static boolean isOfClientName(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "._-".indexOf(c) >= 0;
    }

    /** Creates a request that says nothing about a session and has no name of the client. */
    public ConnectRequest(@Nullable String token, long pingMillis) {
        this(token, pingMillis, null, null);
    }
}
