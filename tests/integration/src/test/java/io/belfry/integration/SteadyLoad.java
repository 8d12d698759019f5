package io.belfry.integration;

import io.belfry.protocol.Position;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One publisher at a steady rate and one subscriber; records the sent messages, their answers and the deliveries.
 * Nothing is sent twice. Owner: the test's thread.
 */
final class SteadyLoad implements AutoCloseable {
    private static final int SUBJECTS = 10;

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final int perTick;
    private final TestClient publisher;
    private final TestClient subscriber;
    private final List<Thread> threads;
    private final FaultList faults = new FaultList();
    private final BitSet accepted = new BitSet();
    private final BitSet refused = new BitSet();
    private final BitSet came = new BitSet();
    private final Map<String, Integer> answers = new TreeMap<>();
    private final Map<String, Integer> latest = new HashMap<>();
    private final Map<String, Position> reached = new HashMap<>();
    private final AtomicInteger sent = new AtomicInteger();
    private int answered;
    private volatile boolean finishing;
    private volatile boolean ending;

    SteadyLoad(TestServer server, int perSecond) {
        perTick = (int) (perSecond * TICK_NANOS / TimeUnit.SECONDS.toNanos(1));
        publisher = TestClient.open(server, WireEncoding.BINARY);
        subscriber = TestClient.open(server, WireEncoding.BINARY);
        for (int i = 0; i < SUBJECTS; i++) {
            subscriber.subscribe("/steady/" + i);
        }
        threads = List.of(
                Thread.ofPlatform().start(this::publish),
                Thread.ofPlatform().start(this::onEvent),
                Thread.ofPlatform().start(this::receive));
    }

    private void publish() {
        long due = System.nanoTime();
        try {
            while (!finishing) {
                ByteArrayOutputStream frames = new ByteArrayOutputStream();
                for (int i = 0; i < perTick; i++) {
                    int number = sent.get() + i;
                    frames.writeBytes(publisher.publicationFrame(number, "/steady/" + number % SUBJECTS, "m" + number));
                }
                publisher.frames().raw().send(frames.toByteArray());
                sent.addAndGet(perTick);
                due += TICK_NANOS;
                LockSupport.parkNanos(due - System.nanoTime());
            }
        } catch (UncheckedIOException end) {
            // A server that has stopped reading blocks a write until the end of the connection.
            ended("publisher", end);
        }
    }

    private void onEvent() {
        try {
            while (!ending) {
                switch (publisher.next()) {
                    case Event.Published published -> answered("accepted", (int) published.id());
                    case Event.Failed failed -> answered(failed.code(), (int) failed.id());
                    default -> throw new AssertionError("unexpected event for a publisher");
                }
            }
        } catch (RawConnection.Ended end) {
            ended("publisher", end);
        }
    }

    private synchronized void answered(String code, int number) {
        answered++;
        answers.merge(code, 1, Integer::sum);
        if (code.equals("accepted")) {
            accepted.set(number);
        } else if (!code.equals("publish-unknown")) {
            refused.set(number);
        }
    }

    private void receive() {
        try {
            while (!ending) {
                if (subscriber.next() instanceof Event.Message message) {
                    received(message);
                }
            }
        } catch (RawConnection.Ended end) {
            ended("subscriber", end);
        }
    }

    private synchronized void received(Event.Message message) {
        int number = Integer.parseInt(message.data().substring(1));
        Integer before = latest.put(message.subject(), number);
        Position at = reached.put(message.subject(), message.at());
        if (came.get(number)) {
            faults.add("duplicate", message.toString());
        } else if ((before != null && before > number)
                || (at != null && at.seq() >= message.at().seq())) {
            faults.add("out of order", message + " after " + before);
        }
        came.set(number);
    }

    private void ended(String who, Throwable end) {
        if (!ending) {
            faults.add(who, end.toString());
        }
    }

    int sent() {
        return sent.get();
    }

    synchronized int answered() {
        return answered;
    }

    synchronized int received() {
        return came.cardinality();
    }

    /** Returns the number of answers of each kind. */
    synchronized Map<String, Integer> answers() {
        return new TreeMap<>(answers);
    }

    /** Returns the stale notices that the subscriber received. */
    List<Boolean> staleNotices() {
        return subscriber.staleNotices();
    }

    /** Stops publishing, waits for outstanding answers and messages, and returns the faults. */
    List<String> finish() throws InterruptedException {
        finishing = true;
        threads.getFirst().join();
        Await.until("every publish is answered", () -> answered() >= sent());
        Await.until("every accepted message is delivered", this::hasAllAccepted);
        return settle();
    }

    private synchronized boolean hasAllAccepted() {
        BitSet missing = (BitSet) accepted.clone();
        missing.andNot(came);
        return missing.isEmpty();
    }

    private synchronized List<String> settle() {
        List<String> wrong = new ArrayList<>(faults.first());
        int sum = answers.values().stream().mapToInt(Integer::intValue).sum();
        if (sum != sent()) {
            wrong.add("of " + sent() + " sent there are answers " + answers);
        }
        BitSet both = (BitSet) refused.clone();
        both.and(came);
        if (!both.isEmpty()) {
            wrong.add("refused, but delivered: " + both.cardinality());
        }
        return wrong;
    }

    @Override
    public void close() {
        finishing = true;
        ending = true;
        try {
            publisher.close();
            subscriber.close();
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
