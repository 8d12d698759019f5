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
 */
public record EffectiveSettings(
        boolean encrypted,
        boolean compression,
        Duration handshakeTime,
        int maxMessageBytes,
        int subjectsPerSession,
        String entitlement,
        @Nullable String token,
        Features features) {
    /**
     * Features that a configuration may lack, each null without it. Immutable.
     *
     * @param api the server API
     * @param users signs tokens of any user
     * @param presence users and a subject whose members are published
     * @param events subjects whose events are sent to a receiver of this run
     * @param rates users and the rates that each of them has
     */
    public record Features(
            @Nullable Api api,
            @Nullable UserTokens users,
            @Nullable Presence presence,
            @Nullable Events events,
            @Nullable UserRates rates) {
        /** A server without these features. */
        public static final Features NONE = new Features(null, null, null, null, null);
    }

    /** The port of the server API on loopback, and a key with all rights. Immutable. */
    public record Api(int port, String key) {}

    /**
     * A subject whose members are published, and the users that may join it. Immutable.
     *
     * @param leaveMillis time for which a member is shown after its last session has ended
     */
    public record Presence(UserTokens users, String room, long leaveMillis) {}

    /**
     * Subjects whose events are sent to a receiver of this run. Immutable.
     *
     * @param pattern pattern of the subjects, with a wildcard
     * @param ofMessages whether each message is an event
     * @param ofSubscribers whether the first and the last subscriber are events
     * @param vacantMillis time without subscribers after which a subject is reported
     */
    public record Events(
            SlowReceiver receiver, String pattern, boolean ofMessages, boolean ofSubscribers, long vacantMillis) {
        /** Returns a subject that matches the pattern; subjects of different names differ. */
        String subject(String name) {
            return pattern.replace("**", name).replace("*", name);
        }
    }

    /**
     * Users, and the rates of each. Immutable.
     *
     * @param publishes maximum number of publishes per second; 0 = no limit
     * @param commands maximum number of other commands per second; 0 = no limit
     */
    public record UserRates(UserTokens users, int publishes, int commands) {}

    /** Creates the settings of a server without further features. */
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
                Features.NONE);
    }

    /** Returns the settings of a server whose API has this port and key. */
    public EffectiveSettings with(Api other) {
        return with(new Features(other, features.users(), features.presence(), features.events(), features.rates()));
    }

    /** Returns the settings of a server with these features. */
    public EffectiveSettings with(Features other) {
        return with(encrypted, token, other);
    }

    /** Returns the settings of the listener of the server API, whose requests carry this key, or none if it is null. */
    EffectiveSettings onApi(@Nullable String key) {
        return with(false, key, new Features(features.api(), null, null, null, null));
    }

    /**
     * Returns the settings of regular clients. Where this run signs the tokens they have a user of their own, so that attacks do not use
     * up the limits of their user.
     */
    public EffectiveSettings ofRegularClients() {
        UserTokens users = features.users();
        return users == null ? this : with(encrypted, users.token("regular"), features);
    }

    private EffectiveSettings with(boolean otherEncrypted, @Nullable String otherToken, Features other) {
        return new EffectiveSettings(
                otherEncrypted,
                compression,
                handshakeTime,
                maxMessageBytes,
                subjectsPerSession,
                entitlement,
                otherToken,
                other);
    }

    /** Returns the server API; null without it. */
    @Nullable
    Api api() {
        return features.api();
    }

    /** Returns users and a subject whose members are published; null without them. */
    @Nullable
    Presence presence() {
        return features.presence();
    }

    /** Returns whether users can join a subject whose members are published. */
    boolean hasPresence() {
        return features.presence() != null;
    }

    /** Returns whether events of subjects are sent to a receiver of this run. */
    boolean hasEvents() {
        return features.events() != null;
    }

    /** Returns whether each user has a rate that the attack can exceed. */
    boolean hasUserRates() {
        return features.rates() != null;
    }

    /** Returns whether the server has the server API. */
    boolean hasApi() {
        return features.api() != null;
    }

    /** Returns the maximum size of a WebSocket message, as docs/protocol.md defines it. */
    public long maxFrameBytes() {
        return Math.min(64L << 20, 6L * maxMessageBytes + 4096);
    }
}
