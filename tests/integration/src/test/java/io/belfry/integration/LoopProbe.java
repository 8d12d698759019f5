package io.belfry.integration;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the longest wait of a ping for a server's loops, and the longest delay of a bare sleeping thread on this
 * machine. A delay that both show is not caused by the server. Owner: the test's thread.
 */
final class LoopProbe implements AutoCloseable {
    /** Enough sessions to reach each of a few lanes under {@code BenchmarkMode}. */
    private static final int SESSIONS = 6;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<TestClient> sessions = new ArrayList<>();
    private final AtomicLong pingNanos = new AtomicLong();
    private final AtomicLong napNanos = new AtomicLong();
    private final Thread pinging;
    private final Thread napping;
    private volatile boolean ending;

    LoopProbe(TestServer server) {
        for (int i = 0; i < SESSIONS; i++) {
            sessions.add(TestClient.open(server, WireEncoding.BINARY));
        }
        pinging = Thread.ofPlatform().start(this::ping);
        napping = Thread.ofPlatform().start(this::nap);
    }

    private void ping() {
        for (int i = 0; !ending; i++) {
            TestClient session = sessions.get(i % SESSIONS);
            long sentNanos = System.nanoTime();
            session.ping(i);
            session.expect(Event.Pong.class);
            longest(pingNanos, System.nanoTime() - sentNanos);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void nap() {
        while (!ending) {
            long beganNanos = System.nanoTime();
            LockSupport.parkNanos(NAP_NANOS);
            longest(napNanos, System.nanoTime() - beganNanos - NAP_NANOS);
        }
    }

    private static void longest(AtomicLong longest, long nanos) {
        longest.accumulateAndGet(nanos, Math::max);
    }

    /** Starts a new measurement. */
    void reset() {
        pingNanos.set(0);
        napNanos.set(0);
    }

    long pingMillis() {
        return TimeUnit.NANOSECONDS.toMillis(pingNanos.get());
    }

    /** Returns the longest delay of a thread that only sleeps, which is the machine's own delay. */
    long napMillis() {
        return TimeUnit.NANOSECONDS.toMillis(napNanos.get());
    }

    @Override
    public void close() {
        ending = true;
        try {
            pinging.join();
            napping.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            sessions.forEach(TestClient::close);
        }
    }
}
