package io.belfry.benchkit.load;

import io.belfry.client.connection.Random32;
import java.time.Duration;

/**
 * The time a client of a churn test stays connected: {@code 1 s +-10 %}. Immutable.
 *
 * @param share maximum deviation from the mean as a share of the mean, 0 to 1; uniformly distributed
 */
public record HoldTime(Duration mean, double share) {
    long nextNanos(Random32 random) {
        double away = (random.next() / (double) Integer.MIN_VALUE) * share;
        return (long) (mean.toNanos() * (1 + away));
    }
}
