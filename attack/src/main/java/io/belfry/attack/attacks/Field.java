package io.belfry.attack.attacks;

import io.belfry.attack.server.Facts;
import io.belfry.attack.wire.Answers;
import io.belfry.attack.wire.Door;
import io.belfry.attack.wire.Requests;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** What an attack has to work with, and where it writes down what it saw. Owner: the attacking thread. */
public final class Field {
    private static final String SWITCHED = "HTTP/1.1 101 ";

    private final Facts facts;
    private final Door door;
    private final Duration patience;
    private final Supplier<String> log;
    private final long endNanos;
    private final Map<String, Integer> faults = new LinkedHashMap<>();
    private final List<String> did = new ArrayList<>();

    /**
     * The attack is to end after {@code atMost}.
     *
     * @param patience how long an answer may take before it counts as none
     * @param log gives what the server has logged since the attack began
     */
    public Field(Facts facts, Door door, Duration atMost, Duration patience, Supplier<String> log) {
        this.facts = facts;
        this.door = door;
        this.patience = patience;
        this.log = log;
        this.endNanos = System.nanoTime() + atMost.toNanos();
    }

    public Facts facts() {
        return facts;
    }

    public Door door() {
        return door;
    }

    public Duration patience() {
        return patience;
    }

    public String log() {
        return log.get();
    }

    /** With the token, where one is needed. */
    public Requests requests() {
        return new Requests(door.host(), facts.token());
    }

    public boolean goesOn() {
        return System.nanoTime() < endNanos;
    }

    /** Something to be repeated so many times a second until the attack's time is over. */
    public Pace pace(double perSecond) {
        return new Pace(perSecond, endNanos);
    }

    public static void rest(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    /** The server did what it must not. The same sentence again is counted. */
    public void gaveWay(String sentence) {
        faults.merge(sentence, 1, Integer::sum);
    }

    /** What was done and how the server met it, for the verdict's line. */
    public void did(String sentence) {
        did.add(sentence);
    }

    public List<String> faults() {
        return faults.entrySet().stream()
                .map(fault -> fault.getValue() == 1 ? fault.getKey() : fault.getValue() + " times: " + fault.getKey())
                .toList();
    }

    public List<String> did() {
        return List.copyOf(did);
    }

    /** A WebSocket session; throws where the server grants none. */
    public Wire session(String... headers) throws IOException {
        Wire wire = door.open();
        if (!upgrade(wire, headers)) {
            String answer = Answers.of(wire.text()).toString();
            wire.close();
            throw new IOException("no WebSocket session: " + answer);
        }
        return wire;
    }

    /** Whether the server switched; what came after its answer stays to be read. */
    public boolean upgrade(Wire wire, String... headers) {
        wire.send(requests().upgrade(headers));
        wire.await(patience, text -> text.contains("\r\n\r\n"));
        boolean switched = wire.text().startsWith(SWITCHED);
        if (switched) {
            wire.forget();
        }
        return switched;
    }

    /** Sends something on a connection of its own and hands back all that came until the server ended it or fell silent. */
    public Exchange exchange(byte[] bytes, Duration atMost) throws IOException {
        try (Wire wire = door.open()) {
            wire.send(bytes);
            boolean ended = wire.awaitEnd(atMost);
            return new Exchange(Answers.of(wire.text()), wire.bytes(), ended && wire.isEnded());
        }
    }

    /** What came of bytes sent: answers, if they were any, the raw bytes, and whether the server ended the connection. */
    @SuppressWarnings("ArrayRecordComponent") // Bytes are what came, and nobody compares exchanges.
    public record Exchange(Answers answers, byte[] bytes, boolean ended) {}
}
