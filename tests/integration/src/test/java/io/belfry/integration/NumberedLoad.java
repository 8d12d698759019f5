package io.belfry.integration;

import io.belfry.client.BelfryClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Publishes the numbers from 1 on to each subject at an even rate and does not wait for answers. Every number must be
 * accepted at the end. Owner: the test's thread; any thread may read the counts.
 */
final class NumberedLoad implements AutoCloseable {
    private static final int UNANSWERED_MAX = 2000;
    private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final List<String> subjects;
    private final BelfryClient client;
    private final long pauseNanos;
    private final Map<String, AtomicLong> acknowledged = new ConcurrentHashMap<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final Thread thread;
    private volatile boolean finishing;

    /** {@code perSecond} is the rate of all subjects together. */
    NumberedLoad(BelfryClient.Builder connection, String prefix, int subjects, int perSecond) {
        this.subjects = subjects(prefix, subjects);
        this.subjects.forEach(subject -> acknowledged.put(subject, new AtomicLong()));
        client = connection.build().start();
        pauseNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        thread = Thread.ofPlatform().start(this::publish);
    }

    static List<String> subjects(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + "/" + i).toList();
    }

    private void publish() {
        long due = System.nanoTime();
        for (long i = 0; !finishing; i++) {
            send(subjects.get((int) (i % subjects.size())), 1 + i / subjects.size());
            due += pauseNanos;
            do {
                LockSupport.parkNanos(Math.max(NAP_NANOS, due - System.nanoTime()));
            } while (!finishing && (due - System.nanoTime() > 0 || unanswered.get() > UNANSWERED_MAX));
        }
    }

    private void send(String subject, long number) {
        unanswered.incrementAndGet();
        client.publish(subject, Long.toString(number)).whenComplete((at, failure) -> {
            if (failure == null) {
                acknowledged(subject).accumulateAndGet(number, Math::max);
            } else {
                faults.add(number + " of " + subject + ": " + failure);
            }
            unanswered.decrementAndGet();
        });
    }

    private AtomicLong acknowledged(String subject) {
        return acknowledged.computeIfAbsent(subject, each -> new AtomicLong());
    }

    /** Returns the highest accepted number of a subject. */
    long last(String subject) {
        return acknowledged(subject).get();
    }

    /** Stops publishing; returns when every publish is answered. */
    void finish() {
        end();
        Await.until("every publish is answered", () -> unanswered.get() == 0);
    }

    List<String> faults() {
        return new ArrayList<>(faults);
    }

    private void end() {
        finishing = true;
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        end();
        client.close();
    }
}
