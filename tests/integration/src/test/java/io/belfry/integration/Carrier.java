package io.belfry.integration;

/** The transports by which messages can be followed. */
enum Carrier {
    BINARY,
    JSON,
    EVENTS,
    LINES,
    POLL,
    HISTORY;

    /** Whether a pattern can be followed, and several subjects at once. */
    boolean isStream() {
        return this != POLL && this != HISTORY;
    }
}
