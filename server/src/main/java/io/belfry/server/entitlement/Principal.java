package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import org.jspecify.annotations.Nullable;

/** The permissions of a client. Shared by all clients with the same permissions, and by any thread. */
public interface Principal {
    /** The expiry of permissions that never expire. */
    long NEVER = Long.MAX_VALUE;

    Decision.Denied TOKEN_EXPIRED = new Decision.Denied(Code.TOKEN_EXPIRED, "the token has expired");
    Decision.Denied WITHDRAWN =
            new Decision.Denied(Code.UNAUTHORIZED, "the key or token that granted the permissions was withdrawn");

    Decision.Denied NO_SYSTEM = new Decision.Denied(
            Code.SUBSCRIBE_DENIED,
            "subjects of the server need the system permission; a permission such as /** has no effect on them");

    Decision.Denied NO_INBOX =
            new Decision.Denied(Code.SUBSCRIBE_DENIED, "an inbox needs the permission to publish to some subject");

    /** Decides on a subscription to a subject or a pattern, or to read its history. */
    Decision maySubscribe(byte[] subject, long nowMillis);

    /**
     * Decides on a publish; called for each publish, so it must not allocate when it allows. A client that may publish to some
     * subject may publish to the inboxes that it knows.
     */
    Decision mayPublish(byte[] subject, int length, long nowMillis);

    /**
     * Decides whether the client may follow an inbox of its own: it may if it may publish to inboxes, because a request is a
     * publish too. The key of the inbox was checked before.
     */
    default Decision mayHaveInbox(byte[] inbox, long nowMillis) {
        Decision decision = mayPublish(inbox, inbox.length, nowMillis);
        return decision instanceof Decision.Denied denied && denied.code() == Code.PUBLISH_DENIED ? NO_INBOX : decision;
    }

    /** Returns the expiry in milliseconds since 1970. A session without a newer token is closed then. */
    default long expiresMillis() {
        return NEVER;
    }

    /** Returns the reason with which a session is closed at the expiry. */
    default Decision.Denied expiry() {
        return TOKEN_EXPIRED;
    }

    /** Returns whether a client is notified before the expiry, so that it can send a new token. */
    default boolean warnsOfExpiry() {
        return true;
    }

    /** Returns whether the key or token behind the permissions was withdrawn; a session without another one is closed. */
    default boolean isWithdrawn() {
        return false;
    }

    /** Returns the reason with which a session is closed whose permissions were withdrawn. */
    default Decision.Denied withdrawal() {
        return WITHDRAWN;
    }

    /** Returns the name of the user whom an authority has confirmed, or null for an anonymous client. */
    default @Nullable String user() {
        return null;
    }

    /** Returns what the authority says about the user for presence, as the text of a JSON object, or null. */
    default @Nullable String info() {
        return null;
    }

    /** Returns why the permissions have ended, or null while they are valid. Does not decide on any subject. */
    default Decision.@Nullable Denied ended(long nowMillis) {
        if (nowMillis >= expiresMillis()) {
            return expiry();
        }
        return isWithdrawn() ? withdrawal() : null;
    }
}
