package io.belfry.attack.attacks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The target, time and settings of an attack, and its observations. Owner: the attacking thread. */
public final class AttackContext {
    private final EffectiveSettings settings;
    private final AttackTarget target;
    private final Duration timeout;
    private final Supplier<String> log;
    private final long endNanos;
    private final Map<String, Integer> faults = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * Starts the time of an attack.
     *
     * @param atMost time after which the attack is to end
     * @param timeout time after which a response counts as missing
     * @param log returns what the server has logged since the attack began
     */
    public AttackContext(
            EffectiveSettings settings, AttackTarget target, Duration atMost, Duration timeout, Supplier<String> log) {
        this.settings = settings;
        this.target = target;
        this.timeout = timeout;
        this.log = log;
        this.endNanos = System.nanoTime() + atMost.toNanos();
    }

    EffectiveSettings settings() {
        return settings;
    }

    AttackTarget target() {
        return target;
    }

    Duration timeout() {
        return timeout;
    }

    String log() {
        return log.get();
    }

    /** Returns requests with the token, if one is needed. */
    HttpRequests requests() {
        return new HttpRequests(target.host(), settings.token());
    }

    boolean hasTimeLeft() {
        return System.nanoTime() < endNanos;
    }

    /** Returns a rate that ends with the attack's time. */
    AttackRate rate(double perSecond) {
        return new AttackRate(perSecond, endNanos);
    }

    /** Pauses the attack. */
    public static void pause(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    /** Records that the server did something wrong; equal sentences are counted. */
    public void fault(String sentence) {
        faults.merge(sentence, 1, Integer::sum);
    }

    /** Records what the attack did and how the server reacted, for the report. */
    void note(String sentence) {
        notes.add(sentence);
    }

    /** Returns what the server did wrong. */
    public List<String> faults() {
        return faults.entrySet().stream()
                .map(fault -> fault.getValue() == 1 ? fault.getKey() : fault.getValue() + " times: " + fault.getKey())
                .toList();
    }

    /** Returns what the attack did. */
    public List<String> notes() {
        return List.copyOf(notes);
    }

    /** Opens a WebSocket session; throws if the server refuses it. */
    public AttackConnection session(String... headers) throws IOException {
        return upgraded(target.open(), headers);
    }

    /** Returns this connection as a WebSocket session; closes it and throws if the server refuses. */
    AttackConnection upgraded(AttackConnection connection, String... headers) throws IOException {
        if (!upgrade(connection, requests().upgrade(headers))) {
            String response = ParsedResponses.of(connection.text()).toString();
            connection.close();
            throw new IOException("no WebSocket session: " + response);
        }
        return connection;
    }

    /** Sends an upgrade request; returns whether the server switched to WebSocket. */
    boolean upgrade(AttackConnection connection, String request) {
        connection.send(request);
        connection.awaitHead(timeout);
        boolean switched = connection.text().startsWith("HTTP/1.1 101 ");
        if (switched) {
            connection.forget();
        }
        return switched;
    }

    /** Sends a request on a new connection and returns the responses once a head has arrived. */
    ParsedResponses request(String request) throws IOException {
        try (AttackConnection connection = target.open()) {
            connection.send(request);
            connection.awaitHead(timeout);
            return ParsedResponses.of(connection.text());
        }
    }
}
