package io.belfry.client;

/**
 * Hears one subscription: each message once and in the order of its subject, on the client's one thread or on the
 * executor it was given, never two calls at a time. What it throws becomes a {@link Status.ListenerFailed}.
 */
@FunctionalInterface
public interface MessageListener {
    void onMessage(Message message);

    /** Comes in its place between the messages. */
    default void onGap(Gap gap) {}
}
