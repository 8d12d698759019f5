package io.belfry.attack.attacks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The target, time and settings of an attack, and its observations. Owner: the attacking thread.
 *
 * @param timeout time after which a response counts as missing
 * @param log returns what the server has logged since the attack began
 * @param endNanos time at which the attack is to end
 * @param faultCounts what the server did wrong, with the number of times
 * @param notes what the attack did
 */
public record AttackContext(
        EffectiveSettings settings,
        AttackTarget target,
        Duration timeout,
        Supplier<String> log,
        long endNanos,
        Map<String, Integer> faultCounts,
        List<String> notes) {
    /** Starts the time of an attack, which is to end after {@code atMost}. */
    public AttackContext(
            EffectiveSettings settings, AttackTarget target, Duration atMost, Duration timeout, Supplier<String> log) {
        this(
                settings,
                target,
                timeout,
                log,
                System.nanoTime() + atMost.toNanos(),
                new LinkedHashMap<>(),
                new ArrayList<>());
    }

    /** Returns the same attack on the listener of the server API, whose requests carry this key, or none if it is null. */
    AttackContext onApi(@Nullable String key) {
        EffectiveSettings.Api api = Objects.requireNonNull(settings.api(), "the attack needs the server API");
        AttackTarget listener = new AttackTarget(api.port(), false, AttackTarget.ATTACKERS);
        return new AttackContext(settings.onApi(key), listener, timeout, log, endNanos, faultCounts, notes);
    }

    /** Returns the key of the server API. */
    String apiKey() {
        return Objects.requireNonNull(settings.api(), "the attack needs the server API")
                .key();
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
        faultCounts.merge(sentence, 1, Integer::sum);
    }

    /** Records what the attack did and how the server reacted, for the report. */
    void note(String sentence) {
        notes.add(sentence);
    }

    /** Returns what the server did wrong. */
    public List<String> faults() {
        return faultCounts.entrySet().stream()
                .map(fault -> fault.getValue() == 1 ? fault.getKey() : fault.getValue() + " times: " + fault.getKey())
                .toList();
    }

    /** Opens a WebSocket session; throws if the server refuses it. */
    public AttackConnection session(String... headers) throws IOException {
        return upgraded(target.open(), headers);
    }

    /** Returns this connection as a WebSocket session; closes it and throws if the server refuses. */
    AttackConnection upgraded(AttackConnection connection, String... headers) throws IOException {
        return upgradedBy(connection, requests().upgrade(headers));
    }

    /** Returns this connection as a WebSocket session with this token; closes it and throws if the server refuses. */
    AttackConnection upgradedWith(AttackConnection connection, String token) throws IOException {
        return upgradedBy(connection, new HttpRequests(target.host(), token).upgrade());
    }

    private AttackConnection upgradedBy(AttackConnection connection, String request) throws IOException {
        if (!upgrade(connection, request)) {
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
