package io.belfry.integration;

import io.belfry.client.BelfryClient;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import io.belfry.client.Status;
import io.belfry.client.SubscribeOptions;
import io.belfry.protocol.Position;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Follows subjects with the Java client, which reconnects automatically. A follower with several transports closes its
 * client from time to time and continues with another client from the last positions. Owner: the thread that runs it;
 * the witness belongs to the thread of the current client.
 */
final class JavaFollower implements SubjectFollower {
    private static final long STAY_MILLIS_MAX = 5000;
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final StreamWitness witness;
    private final List<String> subjects;
    private final SubscribeOptions options;
    private final List<JavaClientTransport> transports;
    private final Function<JavaClientTransport, BelfryClient.Builder> connection;
    private final Random random;
    private final FaultList faults;
    private volatile boolean stopping;
    private final AtomicInteger connections = new AtomicInteger();

    JavaFollower(
            StreamWitness witness,
            List<String> subjects,
            SubscribeOptions options,
            List<JavaClientTransport> transports,
            Function<JavaClientTransport, BelfryClient.Builder> connection,
            Random random,
            FaultList faults) {
        this.witness = witness;
        this.subjects = subjects;
        this.options = options;
        this.transports = transports;
        this.connection = connection;
        this.random = random;
        this.faults = faults;
    }

    @Override
    public StreamWitness witness() {
        return witness;
    }

    @Override
    public int connections() {
        return connections.get();
    }

    @Override
    public void stop() {
        stopping = true;
    }

    @Override
    public void run() {
        while (!stopping) {
            JavaClientTransport transport = transports.get(random.nextInt(transports.size()));
            try (BelfryClient client =
                    connection.apply(transport).listener(this::onStatus).build()) {
                Listener listener = new Listener(new Random(random.nextLong()));
                for (String subject : subjects) {
                    Position from = witness.at(subject);
                    client.subscribe(
                            subject, listener, new SubscribeOptions(options.history(), from, options.conflateMillis()));
                }
                client.start();
                stay();
            } catch (RuntimeException e) {
                faults.add(witness.name(), e.toString());
            }
        }
    }

    private void stay() {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextLong(STAY_MILLIS_MAX));
        while (!stopping && (transports.size() == 1 || System.nanoTime() - end < 0)) {
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    private void onStatus(Status status) {
        switch (status) {
            case Status.Connected connected -> connections.incrementAndGet();
            case Status.SubscribeRefused refused -> faults.add(witness.name(), refused.toString());
            case Status.Refused refused -> faults.add(witness.name(), refused.toString());
            case Status.CommandFailed failed -> {
                if (!WireFollower.ENDS.contains(failed.code())) {
                    faults.add(witness.name(), failed.toString());
                }
            }
            case Status.ListenerFailed failed -> faults.add(witness.name(), failed.toString());
            default -> {}
        }
    }

    /** Delays the client's thread at random by a slow callback. */
    private final class Listener implements MessageListener {
        private final Random random;

        private Listener(Random random) {
            this.random = random;
        }

        @Override
        public void onMessage(Message message) {
            witness.message(message.subject(), message.position(), message.text(), message.type());
            if (random.nextInt(500) == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(800)));
            }
        }

        @Override
        public void onGap(Gap gap) {
            if (gap.from() != null || gap.to() != null) {
                witness.gap(gap.subject(), gap.from(), gap.to(), gap.reason());
            } else if (!gap.reason().equals(Gap.NOT_RECOVERED)) {
                witness.gapOfPattern(gap.subject(), gap.reason());
            }
            // Without a position a pattern reports only that it may have missed subjects which it never received.
        }
    }
}
