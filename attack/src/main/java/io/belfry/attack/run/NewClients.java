package io.belfry.attack.run;

import io.belfry.attack.attacks.AttackConnection;
import io.belfry.attack.attacks.AttackContext;
import io.belfry.attack.run.ClientFigures.NewClientFigures;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Clients that connect one after the other during an attack, send a ping, and close. They find a server that serves only
 * the clients connected before the attack. Owner: its own thread; {@link #take} is safe from any thread.
 */
final class NewClients implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 200;

    /** Longer than a user would wait. */
    static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final int REASONS_MAX = 3;

    private final AttackContext context;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            work -> Thread.ofPlatform().daemon().name("new-clients").unstarted(work));
    private NewClientFigures figures = new NewClientFigures(0, 0, 0);
    private final List<String> reasons = new ArrayList<>();

    /** The timeout of the context should be {@link #TIMEOUT}. */
    NewClients(AttackContext context) {
        this.context = context;
    }

    void start() {
        thread.scheduleWithFixedDelay(this::connect, INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void connect() {
        long begun = System.nanoTime();
        try (AttackConnection session = context.session()) {
            session.sendCommand("{\"op\":\"ping\",\"id\":7}");
            boolean answered = session.await(TIMEOUT, text -> text.contains("\"op\":\"pong\",\"id\":7"));
            long nanos = System.nanoTime() - begun;
            boolean served = answered && !session.isEnded() && nanos < TIMEOUT.toNanos();
            count(served, nanos / 1e6, "no pong in time, but " + session.text().length() + " characters");
        } catch (IOException e) {
            count(false, 0, String.valueOf(e.getMessage()));
        }
    }

    private synchronized void count(boolean served, double millis, String reason) {
        figures = new NewClientFigures(
                figures.newcomers() + (served ? 1 : 0),
                figures.turnedAway() + (served ? 0 : 1),
                served ? Math.max(figures.newcomerMaxMillis(), millis) : figures.newcomerMaxMillis());
        if (!served && reasons.size() < REASONS_MAX) {
            reasons.add(reason);
        }
    }

    /** Returns the figures since the last call and moves the reasons of failures to {@code incidents}. */
    synchronized NewClientFigures take(List<String> incidents) {
        NewClientFigures taken = figures;
        figures = new NewClientFigures(0, 0, 0);
        incidents.addAll(reasons);
        reasons.clear();
        return taken;
    }

    @Override
    public void close() {
        thread.close();
    }
}
