package io.belfry.attack.witness;

import io.belfry.attack.wire.Door;
import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Requests;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Honest clients that come one after the other, say something, hear the answer and go: a server that serves only those
 * who were there before has given way too. Owner: a thread of its own; figures are handed over under this object's lock.
 */
final class Newcomers implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMillis(200);

    /** Longer than any of them would wait. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final int TOLD_MAX = 3;

    private final Door door;
    private final Requests requests;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private int served;
    private int turnedAway;
    private double slowestMillis;
    private List<String> reasons = new ArrayList<>();

    /** What came of those of some time. */
    record Figures(int served, int turnedAway, double slowestMillis, List<String> reasons) {}

    Newcomers(Door door, Requests requests) {
        this.door = door;
        this.requests = requests;
        this.thread = Thread.ofPlatform().daemon().name("newcomers").start(this::run);
    }

    private void run() {
        try {
            while (!stopped.await(EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
                come();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void come() {
        long begun = System.nanoTime();
        try (Wire wire = door.open()) {
            wire.send(requests.upgrade());
            boolean welcome =
                    wire.await(PATIENCE, text -> text.startsWith("HTTP/1.1 101 ") && text.contains("\r\n\r\n"));
            wire.send(Frames.text("{\"op\":\"ping\",\"id\":7}"));
            boolean answered = wire.await(PATIENCE, text -> text.contains("\"op\":\"pong\",\"id\":7"));
            note(
                    welcome && answered && !wire.isEnded(),
                    System.nanoTime() - begun,
                    "answered: " + firstLine(wire.text()));
        } catch (IOException e) {
            note(false, 0, String.valueOf(e.getMessage()));
        }
    }

    private static String firstLine(String text) {
        return text.isEmpty() ? "nothing" : text.lines().findFirst().orElse("");
    }

    private synchronized void note(boolean well, long nanos, String reason) {
        boolean inTime = well && nanos < PATIENCE.toNanos();
        if (inTime) {
            served++;
            slowestMillis = Math.max(slowestMillis, nanos / 1e6);
        } else {
            turnedAway++;
            if (reasons.size() < TOLD_MAX) {
                reasons.add(reason);
            }
        }
    }

    /** Of those since the last call. */
    synchronized Figures take() {
        Figures taken = new Figures(served, turnedAway, slowestMillis, reasons);
        served = 0;
        turnedAway = 0;
        slowestMillis = 0;
        reasons = new ArrayList<>();
        return taken;
    }

    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join(PATIENCE.multipliedBy(3));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
