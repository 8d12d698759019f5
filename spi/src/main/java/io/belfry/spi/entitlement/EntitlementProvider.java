package io.belfry.spi.entitlement;

import java.util.Map;

/**
 * Decides what clients may do, under {@code Entitlement = Custom}. A jar names its implementation, which has a public
 * constructor without parameters, in {@code META-INF/services/io.belfry.spi.entitlement.EntitlementProvider}.
 */
public interface EntitlementProvider extends AutoCloseable {
    /**
     * Called once, before the first question.
     *
     * @param settings what is written under {@code Custom.} in the server's configuration, by the name behind that
     * @throws Exception whatever keeps it from working: the server does not start then, and says the message
     */
    default void start(Map<String, String> settings) throws Exception {}

    /**
     * Called for each client that comes and each token that is shown, on a virtual thread of its own, many at a time. It may
     * wait for others, or return and have the reply given later by any thread. What has no reply within {@code
     * Entitlement.DecideTime}, or fails, is refused.
     */
    void decide(Question question, Reply reply) throws Exception;

    /** Called once, when the server stops. */
    @Override
    default void close() {}
}
