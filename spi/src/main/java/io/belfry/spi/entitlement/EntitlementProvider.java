package io.belfry.spi.entitlement;

import java.util.Map;

/**
 * Decides what clients may do, under {@code Entitlement = Custom}. The implementation is loaded from a jar, whose file
 * {@code META-INF/services/io.belfry.spi.entitlement.EntitlementProvider} names the class. The class needs a public
 * constructor without parameters.
 */
public interface EntitlementProvider extends AutoCloseable {
    /**
     * Starts the provider. Called once, before the first question.
     *
     * @param settings the keys of the server's configuration that begin with {@code Custom.}, without that prefix
     * @throws Exception if the provider cannot start; the server then does not start and logs the exception's message
     */
    default void start(Map<String, String> settings) throws Exception {}

    /**
     * Applies changed settings on a reload of the server's configuration; questions may be asked meanwhile. Returns
     * true if the provider applied the settings. If it returns false, the server creates and starts a new provider with
     * the settings, then closes this one.
     *
     * @param settings all settings, as in {@link #start}
     * @throws Exception if the settings are invalid; the reload then fails with the exception's message, and nothing
     *     changes
     */
    default boolean reload(Map<String, String> settings) throws Exception {
        return false;
    }

    /**
     * Decides on one client. Called for each new client and for each token that a client sends, on a virtual thread of
     * its own; many calls run at the same time. The method may block, or return and let any thread reply later. A
     * client without a reply within {@code Entitlement.DecideTime} is refused, as is a client for which this method
     * throws.
     */
    void decide(Question question, Reply reply) throws Exception;

    /**
     * Releases the provider's resources. Called once, when the server stops or after another provider has replaced this
     * one.
     */
    @Override
    default void close() {}
}
