package io.belfry.spi.entitlement;

/** Takes the answer to one question, from any thread. The first counts; further ones are passed over and counted. */
public interface Reply {
    void allow(Grant grant);

    /** {@code reason} is told to the client, who is {@code unauthorized}. */
    void refuse(String reason);
}
