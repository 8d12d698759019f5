package io.belfry.spi.entitlement;

/**
 * Receives the decision on one question, from any thread. The first decision applies; later ones are ignored and
 * counted.
 */
public interface Reply {
    /** Gives the client these rights. */
    void allow(Grant grant);

    /** Refuses the client with {@code unauthorized}; {@code reason} is sent to the client. */
    void refuse(String reason);
}
