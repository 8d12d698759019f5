package io.belfry.integration;

import io.belfry.client.BelfryClient;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import io.belfry.client.Status;
import io.belfry.protocol.Recovery;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Reads a subject of a {@link NumberedLoad} and expects every number once and in order. Owner: the client's thread; any
 * thread may read the results.
 */
final class NumberedReader implements MessageListener, AutoCloseable {
    /** The port of the new server, the time of its first answer, and the time without a server before it. */
    record Stay(int port, long fromNanos, long awayNanos) {}

    private final BelfryClient client;
    private final String subject;
    private final List<Stay> stays = new CopyOnWriteArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private int port;
    private long goneNanos;
    private volatile long last;

    NumberedReader(BelfryClient.Builder connection, String subject) {
        this.subject = subject;
        client = connection.listener(this::onStatus).build();
        client.subscribe(subject, this);
        client.start();
    }

    private void onStatus(Status status) {
        switch (status) {
            case Status.Connected connected -> port = connected.server().port();
            case Status.Subscribed subscribed -> {
                if (!stays.isEmpty() && subscribed.recovery() != Recovery.COMPLETE) {
                    faults.add("resumed with " + subscribed.recovery());
                }
                long now = System.nanoTime();
                stays.add(new Stay(port, now, now - (goneNanos == 0 ? now : goneNanos)));
                goneNanos = 0;
            }
            case Status.Disconnected gone -> goneNanos = goneNanos == 0 ? System.nanoTime() : goneNanos;
            case Status.Refused refused -> faults.add(refused.toString());
            case Status.SubscribeRefused refused -> faults.add(refused.toString());
            case Status.ListenerFailed failed -> faults.add(failed.toString());
            default -> {}
        }
    }

    @Override
    public void onMessage(Message message) {
        long number = Long.parseLong(message.text());
        if (last != 0 && number != last + 1) {
            faults.add(number + " after " + last);
        }
        last = number;
    }

    @Override
    public void onGap(Gap gap) {
        faults.add(gap.toString());
    }

    String subject() {
        return subject;
    }

    long last() {
        return last;
    }

    List<Stay> stays() {
        return stays;
    }

    /** Returns the port of the current server, or 0 before the first connection. */
    int port() {
        return stays.isEmpty() ? 0 : stays.getLast().port();
    }

    List<String> faults() {
        return faults;
    }

    @Override
    public void close() {
        client.close();
    }
}
