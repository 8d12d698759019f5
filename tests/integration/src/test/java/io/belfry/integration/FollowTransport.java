package io.belfry.integration;

/** A transport over which a test follows messages. */
enum FollowTransport {
    BINARY,
    JSON,
    EVENTS,
    LINES,
    POLL,
    HISTORY;

    /** Returns whether this transport can follow patterns and several subjects at once. */
    boolean isStream() {
        return this != POLL && this != HISTORY;
    }
}
