package io.belfry.client;

/** Hears what happens to a client, on the thread its messages come on. */
@FunctionalInterface
public interface StatusListener {
    void onStatus(Status status);
}
