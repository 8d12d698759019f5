package io.belfry.benchkit.load;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Opens the clients of one loop at an even rate, with a bound on how many wait for answers. The first client that
 * cannot be made ready ends the ramp: a test with fewer clients than asked for is another test. Owner: the loop.
 */
final class ConnectRamp {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int ANSWERS_OPEN_MAX = 512;

    private final ClientLoop loop;
    private final Target target;
    private final RampSchedule schedule;
    private final IntFunction<ConnectionListener> listeners;
    private final Consumer<String> failed;

    private long startNanos;
    private long progressNanos;
    private int begun;
    private int ready;
    private boolean stopped;

    ConnectRamp(
            ClientLoop loop,
            Target target,
            RampSchedule schedule,
            IntFunction<ConnectionListener> listeners,
            Consumer<String> failed) {
        this.loop = loop;
        this.target = target;
        this.schedule = schedule;
        this.listeners = listeners;
        this.failed = failed;
    }

    static RampSchedule schedule(int clients, double perSecond) {
        return new RampSchedule(clients, perSecond, ANSWERS_OPEN_MAX);
    }

    void start() {
        startNanos = loop.clock().getAsLong();
        progressNanos = startNanos;
        tick();
    }

    private void tick() {
        long now = loop.clock().getAsLong();
        for (int due = schedule.due(now - startNanos, begun, begun - ready); due > 0 && !stopped; due--) {
            connect(begun++);
        }
        if (begun - ready > 0 && now - progressNanos > PATIENCE_NANOS) {
            stop("the server left " + (begun - ready) + " clients without an answer for 30 s");
        }
        if (!stopped && ready < schedule.clients()) {
            loop.runAfter(TICK_NANOS, this::tick);
        }
    }

    private void connect(int client) {
        loop.connect(target.serverOf(client).route(), listeners.apply(client));
    }

    /** One more client is ready; true with the last. */
    boolean ready() {
        ready++;
        progressNanos = loop.clock().getAsLong();
        return ready == schedule.clients();
    }

    /** A client that was not ready yet has ended. */
    void ended(int client, Ending ending) {
        switch (ending.cause()) {
            case FINISHED -> stopped = true;
            case SOURCE_TAKEN -> connect(client);
            default -> stop(ending.sentence());
        }
    }

    private void stop(String sentence) {
        if (!stopped) {
            stopped = true;
            failed.accept(sentence);
        }
    }
}
