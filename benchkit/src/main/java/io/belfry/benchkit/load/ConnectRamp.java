package io.belfry.benchkit.load;

import io.belfry.client.connection.Ending;
import java.util.concurrent.TimeUnit;

/**
 * Opens the clients of one loop at an even rate, with a bound on the clients that wait for answers. The first client that
 * does not become ready ends the ramp, because the figures of fewer clients would be those of another test. Owner: the
 * loop.
 */
final class ConnectRamp {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PROGRESS_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    /** Maximum number of clients of a loop that wait for an answer. */
    static final int UNANSWERED_MAX = 512;

    private final FleetLoop<?> home;
    private final Schedule schedule;
    private long startNanos;
    private long progressNanos;
    private int begun;
    /** Number of clients that have become ready. */
    int ready;

    /** Number of source ports found to be in use by other programs. */
    private int taken;

    private boolean stopped;

    /** The number of connections to begin over time. Immutable. */
    record Schedule(int clients, double perSecond, int unansweredMax) {
        /** Returns how many connections may begin now, {@code elapsedNanos} after the start. */
        int due(long elapsedNanos, int begun, int unanswered) {
            double byNow = Math.min(clients, Math.floor(elapsedNanos / 1e9 * perSecond) + 1);
            return (int) Math.max(0, Math.min(byNow - begun, unansweredMax - unanswered));
        }
    }

    ConnectRamp(FleetLoop<?> home, Schedule schedule) {
        this.home = home;
        this.schedule = schedule;
    }

    void start() {
        startNanos = home.loop.clock().getAsLong();
        progressNanos = startNanos;
        tick();
    }

    private void tick() {
        long now = home.loop.clock().getAsLong();
        int due = schedule.due(now - startNanos, begun, begun - ready);
        for (; due > 0 && !stopped; due--) {
            home.connect(begun++, false);
        }
        if (begun - ready > 0 && now - progressNanos > PROGRESS_NANOS_MAX) {
            fail("the server left " + (begun - ready) + " clients without an answer for 30 s");
        }
        if (!stopped && ready < schedule.clients()) {
            home.loop.runAfter(TICK_NANOS, this::tick);
        }
    }

    /** Counts one more ready client; returns true for the last one. */
    boolean ready() {
        ready++;
        progressNanos = home.loop.clock().getAsLong();
        return ready == schedule.clients();
    }

    /** Handles the end of a client that was not ready yet. */
    void ended(int client, Ending ending) {
        if (stopped) {
            return;
        }
        switch (ending.cause()) {
            case FINISHED -> stopped = true;
            case SOURCE_TAKEN -> {
                taken++;
                home.connect(client, false);
            }
            case PORTS_USED_UP -> fail(taken == 0 ? ending.sentence() : inUse());
            default -> fail(ending.sentence());
        }
    }

    private String inUse() {
        return "address in use: " + taken + " of the pairs of LocalAddresses and LocalPorts are used by other programs;"
                + " the others are too few for " + schedule.clients() + " clients";
    }

    void stop() {
        stopped = true;
    }

    private void fail(String sentence) {
        if (!stopped) {
            stopped = true;
            home.fleet.failed(sentence);
        }
    }
}
