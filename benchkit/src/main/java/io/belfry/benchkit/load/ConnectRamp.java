package io.belfry.benchkit.load;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Ending;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Opens the clients of one loop at an even rate, with a bound on how many wait for answers. The first client that
 * cannot be made ready ends the ramp: a test with fewer clients than asked for is another test. Owner: the loop.
 */
final class ConnectRamp {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final int ANSWERS_OPEN_MAX = 512;

    private final ClientLoop loop;
    private final RampSchedule schedule;
    private final IntConsumer connect;
    private final Consumer<String> failed;

    private long startNanos;
    private long progressNanos;
    private int begun;
    private int ready;

    /** Source ports that turned out to be in use. */
    private int taken;

    private boolean stopped;

    /** {@code connect} begins the client of an index; {@code failed} hears why the ramp cannot go on. */
    ConnectRamp(ClientLoop loop, RampSchedule schedule, IntConsumer connect, Consumer<String> failed) {
        this.loop = loop;
        this.schedule = schedule;
        this.connect = connect;
        this.failed = failed;
    }

    void start() {
        startNanos = loop.clock().getAsLong();
        progressNanos = startNanos;
        tick();
    }

    private void tick() {
        long now = loop.clock().getAsLong();
        for (int due = schedule.due(now - startNanos, begun, begun - ready); due > 0 && !stopped; due--) {
            connect.accept(begun++);
        }
        if (begun - ready > 0 && now - progressNanos > PATIENCE_NANOS) {
            fail("the server left " + (begun - ready) + " clients without an answer for 30 s");
        }
        if (!isDone()) {
            loop.runAfter(TICK_NANOS, this::tick);
        }
    }

    /** One more client is ready; true with the last. */
    boolean ready() {
        ready++;
        progressNanos = loop.clock().getAsLong();
        return ready == schedule.clients();
    }

    boolean isDone() {
        return stopped || ready == schedule.clients();
    }

    /** A client that was not ready yet has ended. */
    void ended(int client, Ending ending) {
        if (stopped) {
            return;
        }
        switch (ending.cause()) {
            case FINISHED -> stopped = true;
            case SOURCE_TAKEN -> {
                taken++;
                connect.accept(client);
            }
            case PORTS_USED_UP -> fail(taken == 0 ? ending.sentence() : inUse());
            default -> fail(ending.sentence());
        }
    }

    private String inUse() {
        return "address in use: " + taken + " of the pairs of LocalAddresses and LocalPorts are taken by others, which"
                + " leaves too few for " + schedule.clients() + " clients";
    }

    void stop() {
        stopped = true;
    }

    private void fail(String sentence) {
        if (!stopped) {
            stopped = true;
            failed.accept(sentence);
        }
    }
}
