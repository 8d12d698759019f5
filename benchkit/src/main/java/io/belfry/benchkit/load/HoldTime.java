package io.belfry.benchkit.load;

import io.belfry.client.connection.Random32;
import java.time.Duration;

/**
 * How long a client of a churning test stays: {@code 1 s +-10 %}. Immutable.
 *
 * @param share of the mean that a stay may be longer or shorter, 0 to 1; evenly distributed
 */
public record HoldTime(Duration mean, double share) {
    long nextNanos(Random32 random) {
        double away = (random.next() / (double) Integer.MIN_VALUE) * share;
        return (long) (mean.toNanos() * (1 + away));
    }
}
