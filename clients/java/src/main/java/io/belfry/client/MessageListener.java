package io.belfry.client;

/**
 * Receives the messages of one subscription, each once and in the order of its subject. Calls never overlap; they run
 * on the client's thread or on its executor. Exceptions are reported as {@link Status.ListenerFailed}.
 */
@FunctionalInterface
public interface MessageListener {
    /** A message was delivered. */
    void onMessage(Message message);

    /** Messages are missing; called in the order of the messages. */
    default void onGap(Gap gap) {}
}
