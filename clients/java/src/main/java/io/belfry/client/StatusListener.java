package io.belfry.client;

/** Receives the statuses of a client, on the same thread as messages. */
@FunctionalInterface
public interface StatusListener {
    /** The status of the client has changed. */
    void onStatus(Status status);
}
