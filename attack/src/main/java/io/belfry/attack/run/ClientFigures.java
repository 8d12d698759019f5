package io.belfry.attack.run;

import java.util.List;

/**
 * Observations of the regular clients during a period. Immutable.
 *
 * @param delivered messages that subscribers received
 * @param p99Millis from the scheduled time of a publish to its delivery
 * @param lost deliveries of acknowledged messages that did not arrive
 * @param unanswered publishes without an acknowledgement or error
 * @param disturbed duplicate or reordered messages, announced gaps and errors
 * @param disconnected connections that ended
 * @param incidents other observations, as sentences
 */
public record ClientFigures(
        long delivered,
        double p50Millis,
        double p99Millis,
        double maxMillis,
        long lost,
        long unanswered,
        long disturbed,
        long disconnected,
        NewClientFigures newClients,
        List<String> incidents) {
    /**
     * Observations of the clients that connected during a period.
     *
     * @param newcomers new clients that connected and were served
     * @param turnedAway new clients that were not served
     * @param newcomerMaxMillis longest time from connecting to the first response, of the new clients that were served
     */
    public record NewClientFigures(int newcomers, int turnedAway, double newcomerMaxMillis) {}
}
