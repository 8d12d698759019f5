package io.belfry.integration;

import io.belfry.client.BelfryClient;
import io.belfry.client.PublishOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishes numbered messages with the Java client, which repeats them automatically. Owner: the thread that runs it.
 */
final class JavaPublisher implements RepeatingPublisher {
    private static final int UNANSWERED_MAX = 200;

    private final int publisher;
    private final List<String> subjects;
    private final JavaClientTransport transport;
    private final int port;
    private final Random random;
    private final Ledger ledger;
    private final FaultList faults;
    private final Map<String, Long> numbers = new HashMap<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile boolean finishing;
    private volatile boolean stopping;
    private volatile boolean finished;

    JavaPublisher(
            int publisher,
            List<String> subjects,
            JavaClientTransport transport,
            int port,
            Random random,
            Ledger ledger,
            FaultList faults) {
        this.publisher = publisher;
        this.subjects = subjects;
        this.transport = transport;
        this.port = port;
        this.random = random;
        this.ledger = ledger;
        this.faults = faults;
    }

    @Override
    public void finish() {
        finishing = true;
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public void stop() {
        stopping = true;
    }

    @Override
    public void run() {
        try (BelfryClient client =
                transport.to(port).publishTimeout(Duration.ofHours(1)).build().start()) {
            while (!stopping && !finishing) {
                publish(client, subjects.get(random.nextInt(subjects.size())));
                pause(random.nextInt(25));
                while (!stopping && unanswered.get() > UNANSWERED_MAX) {
                    pause(5);
                }
            }
            while (!stopping && unanswered.get() > 0) {
                pause(5);
            }
            finished = true;
        }
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void publish(BelfryClient client, String subject) {
        Numbered message = new Numbered(publisher, numbers.merge(subject, 1L, Long::sum));
        byte[] data = message.data(random.nextInt(300)).getBytes(StandardCharsets.UTF_8);
        unanswered.incrementAndGet();
        client.publish(subject, data, PublishOptions.DEFAULT).whenComplete((at, failure) -> {
            if (at != null) {
                ledger.acknowledged(subject, at, message);
            } else if (!stopping) {
                faults.add("publisher " + publisher, message + " of " + subject + ": " + failure);
            }
            unanswered.decrementAndGet();
        });
    }
}
