package io.belfry.server.api;

import java.util.Locale;

/** A right of a key of the server API. */
enum ApiRight {
    /** Publishing to any subject of clients. */
    PUBLISH,
    /** Reading sessions, subjects and history. */
    READ,
    /** Closing sessions, ending subscriptions, draining the node. */
    ACT;

    /** Returns the name in the key file and in the description of the API. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
