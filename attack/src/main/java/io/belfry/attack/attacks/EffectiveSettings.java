package io.belfry.attack.attacks;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the server under attack that attacks depend on. Immutable.
 *
 * @param handshakeTime time a connection has for its first complete request
 * @param maxMessageBytes maximum size of the data of a message
 * @param subjectsPerSession 0 = no limit
 * @param entitlement value of the key {@code Entitlement}, in lower case
 * @param token allows publishing and subscribing; null: none is needed
 * @param api the server API; null: there is none
 * @param presence users and a subject whose members are published; null: there are none
 */
public record EffectiveSettings(
        boolean encrypted,
        boolean compression,
        Duration handshakeTime,
        int maxMessageBytes,
        int subjectsPerSession,
        String entitlement,
        @Nullable String token,
        @Nullable Api api,
        @Nullable Presence presence) {
    /** The port of the server API on loopback, and a key with all rights. Immutable. */
    public record Api(int port, String key) {}

    /**
     * A subject whose members are published, and the users that may join it. Immutable.
     *
     * @param leaveMillis time for which a member is shown after its last session has ended
     */
    public record Presence(UserTokens users, String room, long leaveMillis) {}

    /** Creates the settings of a server without the server API and presence. */
    public EffectiveSettings(
            boolean encrypted,
            boolean compression,
            Duration handshakeTime,
            int maxMessageBytes,
            int subjectsPerSession,
            String entitlement,
            @Nullable String token) {
        this(
                encrypted,
                compression,
                handshakeTime,
                maxMessageBytes,
                subjectsPerSession,
                entitlement,
                token,
                null,
                null);
    }

    /** Returns the settings of a server whose API has this port and key. */
    public EffectiveSettings with(Api other) {
        return with(encrypted, token, other, presence);
    }

    /** Returns the settings of a server with this presence. */
    public EffectiveSettings with(Presence other) {
        return with(encrypted, token, api, other);
    }

    /** Returns the settings of the listener of the server API, whose requests carry this key, or none if it is null. */
    EffectiveSettings onApi(@Nullable String key) {
        return with(false, key, api, null);
    }

    private EffectiveSettings with(
            boolean otherEncrypted,
            @Nullable String otherToken,
            @Nullable Api otherApi,
            @Nullable Presence otherPresence) {
        return new EffectiveSettings(
                otherEncrypted,
                compression,
                handshakeTime,
                maxMessageBytes,
                subjectsPerSession,
                entitlement,
                otherToken,
                otherApi,
                otherPresence);
    }

    /** Returns whether users can join a subject whose members are published. */
    boolean hasPresence() {
        return presence != null;
    }

    /** Returns whether the server has the server API. */
    boolean hasApi() {
        return api != null;
    }

    /** Returns the maximum size of a WebSocket message, as docs/protocol.md defines it. */
    public long maxFrameBytes() {
        return Math.min(64L << 20, 6L * maxMessageBytes + 4096);
    }
}
