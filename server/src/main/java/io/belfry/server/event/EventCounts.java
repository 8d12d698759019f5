package io.belfry.server.event;

/** Counts what happens to events, on any thread. */
public interface EventCounts {
    /** Called when the number of waiting events changes. */
    void waiting(int more);

    void delivered(int events);

    void missed(int events);

    /** Called for each batch that is sent to a receiver, also when it is repeated. */
    void request();

    /** Called for each batch that a receiver did not accept. */
    void failure();
}
