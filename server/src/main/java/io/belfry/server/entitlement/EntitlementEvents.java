package io.belfry.server.entitlement;

/** Receives the events of an entitlement that are counted, on any thread. */
public interface EntitlementEvents {
    /** Called when keys could not be read again. */
    void onKeyFailure();

    /** Called when a question is sent to an address of the application. */
    default void onRequest() {}

    /** Called when such a question got no usable answer. */
    default void onRequestFailure() {}

    /** Called when a cached answer decides. */
    default void onCached() {}

    /** Called when a question is refused because too many wait. */
    default void onRefused() {}
}
