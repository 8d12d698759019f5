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
     * Called when the settings under {@code Custom.} have changed and the server's configuration is read again, while
     * questions are asked. A provider that takes them over answers true. Otherwise another one is made and started with
     * them, and this one is closed.
     *
     * @param settings all of them, as in {@link #start}
     * @throws Exception whatever is wrong with them: the reload fails then and says the message, and nothing changes
     */
    default boolean reload(Map<String, String> settings) throws Exception {
        return false;
    }

    /**
     * Called for each client that comes and each token that is shown, on a virtual thread of its own, many at a time. It may
     * wait for others, or return and have the reply given later by any thread. What has no reply within {@code
     * Entitlement.DecideTime}, or fails, is refused.
     */
    void decide(Question question, Reply reply) throws Exception;

    /** Called once, when the server stops or another one has taken its place. */
    @Override
    default void close() {}
}
