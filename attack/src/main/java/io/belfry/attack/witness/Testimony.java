package io.belfry.attack.witness;

import java.util.List;

/**
 * What honest clients saw in some time. Immutable.
 *
 * @param delivered messages that came to subscribers
 * @param p99Millis from the moment a message was to be published to its delivery
 * @param lost deliveries of acknowledged messages that did not come
 * @param unanswered publishes without an answer
 * @param disturbed messages doubled or out of order, gaps announced and errors answered
 * @param disconnected connections that ended
 * @param newcomers clients that came meanwhile and were served
 * @param turnedAway clients that came meanwhile and were not
 * @param newcomerMaxMillis from connecting to the first answer, of the slowest that was served
 * @param surprises in words, what else was seen
 */
public record Testimony(
        long delivered,
        double p50Millis,
        double p99Millis,
        double maxMillis,
        long lost,
        long unanswered,
        long disturbed,
        long disconnected,
        int newcomers,
        int turnedAway,
        double newcomerMaxMillis,
        List<String> surprises) {
    public Testimony {
        surprises = List.copyOf(surprises);
    }
}
