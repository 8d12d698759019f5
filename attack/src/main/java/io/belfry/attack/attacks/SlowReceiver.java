package io.belfry.attack.attacks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of the attacked server's events about subjects, on a free port of loopback. During an attack it answers slowly. It checks
 * that each number is an event or within an announced loss. Any thread.
 */
public final class SlowReceiver implements AutoCloseable {
    /** The types of its events, as in a key {@code Events.Endpoint.*}. */
    public static final String TYPES = "message subject.occupied subject.vacated";

    private static final long SLOW_MILLIS = 300;
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * The events that arrived since an attack began. Immutable.
     *
     * @param events number of events
     * @param missed number of events that the server announced as lost
     * @param holes number of events that are missing without an announcement
     * @param watched number of events about the watched subject
     */
    record Arrived(long events, long missed, long holes, long watched) {}

    private final HttpServer server;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch closing = new CountDownLatch(1);

    /** Guarded by this object, as are the following fields. */
    private long nextSeq = 1;

    private Arrived arrived = new Arrived(0, 0, 0, 0);
    private String watched = "";
    private String awaited = "";
    private @Nullable CountDownLatch slow;

    private SlowReceiver(HttpServer server) {
        this.server = server;
        server.setExecutor(executor);
        server.createContext("/", this::receive);
        server.start();
    }

    /** Opens a receiver, which answers at once until an attack begins. */
    public static SlowReceiver open() throws IOException {
        return new SlowReceiver(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    }

    /** Returns the address for the server. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** Begins an attack: answers are slow from now on, and events about this subject are counted. */
    synchronized void begin(String watchedSubject) {
        arrived = new Arrived(0, 0, 0, 0);
        watched = watchedSubject;
        slow = new CountDownLatch(1);
    }

    /** Answers at once from now on. */
    synchronized void recover() {
        CountDownLatch before = slow;
        slow = null;
        if (before != null) {
            before.countDown();
        }
    }

    /** Waits for an event about a subject; {@link #hasArrived} returns whether it has arrived. */
    synchronized void await(String subject) {
        awaited = subject;
    }

    /** Returns whether the awaited event has arrived. */
    synchronized boolean hasArrived() {
        return awaited.isEmpty();
    }

    synchronized Arrived arrived() {
        return arrived;
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode events = JSON.readTree(exchange.getRequestBody()).path("events");
            pause();
            take(events);
            exchange.sendResponseHeaders(204, -1);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void pause() throws InterruptedException {
        CountDownLatch until;
        synchronized (this) {
            until = slow;
        }
        if (until != null && until.await(SLOW_MILLIS, TimeUnit.MILLISECONDS)) {
            return;
        }
        if (closing.getCount() == 0) {
            throw new InterruptedException("closed");
        }
    }

    private synchronized void take(JsonNode events) {
        for (JsonNode event : events) {
            long seq = event.path("seq").asLong();
            if (seq < nextSeq) {
                // A repeated batch, whose answer was lost.
                continue;
            }
            boolean loss = event.path("type").asText().equals("missed");
            long count = loss ? event.path("count").asLong() : 0;
            String subject = event.path("subject").asText();
            arrived = new Arrived(
                    arrived.events() + (loss ? 0 : 1),
                    arrived.missed() + count,
                    arrived.holes() + seq - nextSeq,
                    arrived.watched() + (subject.equals(watched) ? 1 : 0));
            awaited = subject.equals(awaited) ? "" : awaited;
            nextSeq = loss ? event.path("toSeq").asLong() + 1 : seq + 1;
        }
    }

    @Override
    public void close() {
        closing.countDown();
        recover();
        server.stop(0);
        executor.shutdownNow();
    }
}
