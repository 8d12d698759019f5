package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Random32;
import io.belfry.client.connection.ServerConnection;
import java.util.concurrent.TimeUnit;

/**
 * Lets clients connect, subscribe, stay for their hold time, close, and connect again. A connect that fails is counted and
 * retried after another hold time, because a churn test measures an overloaded server too. The run ends only when no
 * client becomes ready any more. Owner: the loop.
 */
final class Churn {
    private static final long WITHOUT_SUCCESS_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);
    private static final int FAILURES_MIN = 100;
    /** Maximum number of source ports in a row that are in use. */
    private static final int TAKEN_MAX = 10_000;

    private final SubscriberLoop home;
    private final HoldTime holdTime;
    private final int count;
    private final Random32 random = new Random32(System.nanoTime());
    private long lastSuccessNanos;
    private int failuresSince;
    private int takenSince;
    private long downFromNanos;
    private long downNanos = Long.MAX_VALUE;

    Churn(SubscriberLoop home, HoldTime holdTime, int count) {
        this.home = home;
        this.holdTime = holdTime;
        this.count = count;
    }

    /** Closes a client, which has just become ready, after its hold time. */
    void hold(SubscriberClient client) {
        lastSuccessNanos = System.nanoTime();
        failuresSince = 0;
        takenSince = 0;
        home.loop.runAfter(holdTime.nextNanos(random), () -> {
            ServerConnection connection = client.connection;
            if (connection != null) {
                connection.finish();
            }
        });
    }

    /** Connects the client again unless the ramp down has removed it. */
    void comeBack(SubscriberClient client) {
        if (client.index < clientsNow()) {
            home.connectAgain(client);
        }
    }

    /** Schedules another attempt; a source port in use is not counted as a failure, and the next port is tried at once. */
    boolean retries(SubscriberClient client, Ending ending) {
        if (ending.cause() == Ending.Cause.SOURCE_TAKEN && takenSince++ < TAKEN_MAX) {
            home.connectAgain(client);
            return true;
        }
        if (lastSuccessNanos == 0) {
            return false;
        }
        home.counts.add(Count.CONNECTS_FAILED);
        failuresSince++;
        if (failuresSince >= FAILURES_MIN && System.nanoTime() - lastSuccessNanos > WITHOUT_SUCCESS_NANOS_MAX) {
            home.fleet.failed("no client has become ready for 5 s: " + ending.sentence());
        } else {
            home.fleet.incidents().add("a client did not become ready: " + ending.sentence());
            home.loop.runAfter(holdTime.nextNanos(random), () -> comeBack(client));
        }
        return true;
    }

    /** Removes clients at an even rate, those with the highest indexes first; each completes its hold time. */
    void rampDown(long nanos) {
        downFromNanos = System.nanoTime();
        downNanos = Math.max(1, nanos);
    }

    private double clientsNow() {
        if (downNanos == Long.MAX_VALUE) {
            return count;
        }
        return count * (1 - (double) (System.nanoTime() - downFromNanos) / downNanos);
    }
}
