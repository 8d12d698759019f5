package io.belfry.server.entitlement;

import org.jspecify.annotations.Nullable;

/**
 * A command of a client about which the application is asked. Immutable.
 *
 * @param kind what the client wants to do
 * @param subject subject, or the pattern of a subscription
 * @param user name of the client's user; null if it has none
 * @param session name of the client's session
 */
public record AskedCommand(
        Kind kind, String subject, @Nullable String user, String session) {
    /** The kind of a command; its text is the type of the question. */
    public enum Kind {
        /** Subscribes to a subject or pattern, or reads the history of a subject. */
        SUBSCRIBE("subscribe"),
        PUBLISH("publish");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** Returns the type of the question. */
        public String text() {
            return text;
        }
    }
}
