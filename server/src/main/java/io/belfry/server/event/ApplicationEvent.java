package io.belfry.server.event;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a session, to a subject or a member of it, or to the node. Immutable.
 *
 * @param millis time of the event, in milliseconds since 1970
 * @param session name of the session; empty for an event of the node or of a subject
 * @param subject subject that the event is about; null for an event of the node or of a session
 * @param user name of the user; null for an anonymous session
 * @param address address of the client; empty if unknown
 * @param code why the session ended, or what becomes of its messages; null for other types
 * @param message a published message; null for other types
 */
public record ApplicationEvent(
        EventType type,
        long millis,
        String session,
        @Nullable String subject,
        @Nullable String user,
        String address,
        @Nullable String code,
        @Nullable PublishedMessage message) {
    /** Estimated memory of an event without a message. */
    private static final int BYTES = 200;

    /** Returns the event that the node has started; all sessions of its earlier runs have ended. */
    public static ApplicationEvent started(long millis) {
        return new ApplicationEvent(EventType.NODE_STARTED, millis, "", null, null, "", null, null);
    }

    /** Returns the event that a subject has got its first subscriber, or has lost its last one. */
    public static ApplicationEvent ofSubject(EventType type, long millis, String subject) {
        return new ApplicationEvent(type, millis, "", subject, null, "", null, null);
    }

    /** Returns the event that a user has joined a subject, or has left it. */
    public static ApplicationEvent ofMember(EventType type, long millis, String subject, String user) {
        return new ApplicationEvent(type, millis, "", subject, user, "", null, null);
    }

    /** Returns an event about a session; the code is null for some types. */
    public static ApplicationEvent ofSession(
            EventType type, long millis, String session, @Nullable String user, String address, @Nullable String code) {
        return new ApplicationEvent(type, millis, session, null, user, address, code, null);
    }

    /** Returns the event that a message was published; the user is null if its publisher is not known. */
    public static ApplicationEvent ofMessage(
            long millis, String subject, @Nullable String user, PublishedMessage message) {
        return new ApplicationEvent(EventType.MESSAGE, millis, "", subject, user, "", null, message);
    }

    /** Returns the estimated memory. */
    int bytes() {
        return message == null ? BYTES : BYTES + message.bytes();
    }
}
