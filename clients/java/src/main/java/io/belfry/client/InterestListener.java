package io.belfry.client;

/** Receives whether a watched subject has subscribers, on the same thread as messages. */
@FunctionalInterface
public interface InterestListener {
    /** The first state, or a change: the subject gained its first subscriber or lost its last one. */
    void onInterest(String subject, boolean subscribers);
}
