package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends the publishes of a client over its current link, in their order, and repeats those that a cluster could not
 * take. Owner: the client's loop; only {@link #offer} may be called by any thread.
 */
final class OutgoingPublishes {
    /**
     * Pause before a publish is repeated on the same connection; a node needs about this time to restart its producer.
     */
    private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The connection of the client. */
    interface Connection {
        /** Returns the link if it accepts publishes, otherwise null. */
        @Nullable
        Link openLink();

        /** Whether the client has stopped, so that no link will follow. */
        boolean isOver();

        /** Publishes wait for their answers: the time must be checked. */
        void publishesWait();
    }

    private final ClientLoop loop;
    private final PendingPublishes publishes;
    private final Connection connection;
    private final ConcurrentLinkedQueue<Publish> offered = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean offerNoticed = new AtomicBoolean();
    private int dataBytesMax = Integer.MAX_VALUE;
    private boolean repeating;

    OutgoingPublishes(ClientLoop loop, PendingPublishes publishes, Connection connection) {
        this.loop = loop;
        this.publishes = publishes;
        this.connection = connection;
    }

    /** Sets the largest message that the server accepts. */
    void limit(int bytesMax) {
        dataBytesMax = bytesMax;
    }

    /** Queues a publish. Any thread. */
    void offer(Publish publish) {
        offered.add(publish);
        if (offerNoticed.compareAndSet(false, true) && !loop.tryRun(this::takeOffered)) {
            offerNoticed.set(false);
            failOffered();
        }
    }

    /** Fails the queued publishes: the client was closed after it admitted them, and its loop has ended. Any thread. */
    private void failOffered() {
        for (Publish next = offered.poll(); next != null; next = offered.poll()) {
            next.acknowledged()
                    .completeExceptionally(
                            new PublishException(PublishException.Kind.CLOSED, "", "the client was closed"));
        }
    }

    void takeOffered() {
        offerNoticed.set(false);
        for (Publish next = offered.poll(); next != null; next = offered.poll()) {
            publishes.add(next);
        }
        if (connection.isOver()) {
            publishes.failAll(PublishException.Kind.CLOSED, "", "the client has stopped and does not reconnect");
        } else {
            send();
            connection.publishesWait();
        }
    }

    /** Schedules one repetition for all publishes that the cluster behind the server could not take. */
    void repeatLater() {
        if (!repeating) {
            repeating = true;
            loop.runAfter(REPEAT_NANOS, () -> {
                repeating = false;
                publishes.repeat();
                send();
            });
        }
    }

    /** Sends the waiting publishes, as far as the link accepts them. */
    void send() {
        Link to = connection.openLink();
        if (to != null) {
            publishes.send(publish -> isTooLarge(publish) || to.publish(publish));
            to.flush();
        }
    }

    /** A message larger than the server's limit would end the connection, and would be sent again on the next one. */
    private boolean isTooLarge(Publish publish) {
        boolean tooLarge = publish.contentBytes() > dataBytesMax;
        if (tooLarge) {
            publishes.failed(
                    publish.id(),
                    new PublishException(
                            PublishException.Kind.REFUSED,
                            "message-too-large",
                            publish.contentBytes() + " bytes exceed the server's limit of " + dataBytesMax + " bytes"));
        }
        return tooLarge;
    }
}
