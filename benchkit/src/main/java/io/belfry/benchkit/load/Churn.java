package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Random32;
import java.util.concurrent.TimeUnit;

/**
 * Clients that come and go: connect, subscribe, hold, close, and again. A connect that fails is counted and tried again
 * after another hold, for what an overloaded server refuses is what such a test is about; only when nothing succeeds any
 * more does the run end. Owner: the loop.
 */
final class Churn {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int FAILURES_MIN = 100;

    /** Of source ports in a row; then there are too few of them. */
    private static final int TAKEN_MAX = 10_000;

    private final ClientLoop loop;
    private final LoopClients<Subscriber> clients;
    private final HoldTime holdTime;
    private final int count;
    private final Counts counts;
    private final Fleet fleet;
    private final Random32 random = new Random32(System.nanoTime());
    private long lastSuccessNanos;
    private int failuresSince;
    private int takenSince;
    private long downFromNanos;
    private long downNanos = Long.MAX_VALUE;

    Churn(ClientLoop loop, LoopClients<Subscriber> clients, HoldTime holdTime, int count, Counts counts, Fleet fleet) {
        this.loop = loop;
        this.clients = clients;
        this.holdTime = holdTime;
        this.count = count;
        this.counts = counts;
        this.fleet = fleet;
    }

    /** The client is ready: it stays for its time. */
    void hold(Subscriber subscriber) {
        lastSuccessNanos = System.nanoTime();
        failuresSince = 0;
        takenSince = 0;
        loop.runAfter(holdTime.nextNanos(random), () -> {
            Connection connection = subscriber.connection;
            if (connection != null) {
                connection.finish();
            }
        });
    }

    /** Its stay is over, as it was meant to be or not. */
    void ended(Subscriber subscriber, Ending ending) {
        if (ending.cause() != Ending.Cause.FINISHED) {
            counts.add(Count.DISCONNECTIONS);
            fleet.surprises().add("connection ended: " + ending.sentence());
        }
        comeBack(subscriber);
    }

    private void comeBack(Subscriber subscriber) {
        if (subscriber.index < clientsNow()) {
            clients.connectAgain(subscriber);
        }
    }

    /** A port that is taken is no failure: the next one is tried at once. */
    boolean goesOnWithout(Subscriber subscriber, Ending ending) {
        if (ending.cause() == Ending.Cause.SOURCE_TAKEN && takenSince++ < TAKEN_MAX) {
            clients.connectAgain(subscriber);
            return true;
        }
        if (lastSuccessNanos == 0) {
            return false;
        }
        counts.add(Count.CONNECTS_FAILED);
        failuresSince++;
        if (failuresSince >= FAILURES_MIN && System.nanoTime() - lastSuccessNanos > PATIENCE_NANOS) {
            fleet.failed("no client has become ready for 5 s: " + ending.sentence());
        } else {
            fleet.surprises().add("a client was not made ready: " + ending.sentence());
            loop.runAfter(holdTime.nextNanos(random), () -> comeBack(subscriber));
        }
        return true;
    }

    /** Those with the highest numbers leave first, at an even rate; each finishes its stay. */
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
