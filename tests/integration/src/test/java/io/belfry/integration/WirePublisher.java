package io.belfry.integration;

import io.belfry.protocol.Position;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Publishes numbered messages over WebSocket or HTTP, another on each connection, and repeats on the next what was not
 * answered, in the old order. Owner: the thread that runs it.
 */
final class WirePublisher implements Publisher {
    private static final int BURST_MAX = 20;
    private static final int LARGE = 15_000;

    /** Between bursts: what comes of them costs all followers together far more than the publisher. */
    private static final int PAUSE_MILLIS = 400;

    /** Now and then so much at once that who stands still is felt, through all that kernels take for him. */
    private static final int FLOOD_ONE_IN = 30;

    private static final int FLOOD = 100;
    private static final int UNAVAILABLE = 503;

    /** The server ended a connection that was idle, just when a request was on its way. */
    private static final int REQUEST_TIMEOUT = 408;

    private final int publisher;
    private final List<String> subjects;
    private final boolean withIds;
    private final int port;
    private final Random random;
    private final Ledger ledger;
    private final Faults faults;
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<Long, Sending> unanswered = new LinkedHashMap<>();
    private long lastId;
    private int repeats;
    private volatile boolean finishing;
    private volatile boolean stopping;
    private volatile boolean finished;

    private record Sending(
            long id,
            String subject,
            Numbered message,
            String data,
            boolean retain,
            @Nullable String msgId) {}

    /** Without ids a repeat is another message: that must show. */
    WirePublisher(
            int publisher,
            List<String> subjects,
            boolean withIds,
            int port,
            Random random,
            Ledger ledger,
            Faults faults) {
        this.publisher = publisher;
        this.subjects = subjects;
        this.withIds = withIds;
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
    public int repeats() {
        return repeats;
    }

    @Override
    public void stop() {
        stopping = true;
    }

    @Override
    public void run() {
        while (!stopping && !(finishing && unanswered.isEmpty())) {
            try (RawConnection connection = RawConnection.to(port)) {
                switch (random.nextInt(3)) {
                    case 0 -> overWebSocket(Client.over(connection, Encoding.BINARY));
                    case 1 -> overWebSocket(Client.over(connection, Encoding.JSON));
                    default -> overHttp(new Http(connection));
                }
            } catch (RawConnection.Ended | UncheckedIOException cut) {
                // What is unanswered is repeated.
            } catch (Frames.Refused refused) {
                if (refused.status() != UNAVAILABLE) {
                    faults.add("publisher " + publisher, refused.toString());
                }
            } catch (RuntimeException | AssertionError e) {
                faults.add("publisher " + publisher, e.toString());
            }
            repeats += unanswered.size();
            park(random.nextInt(50));
        }
        finished = true;
    }

    private static void park(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Those of the connections before, in their order, and when they are answered new ones. */
    private List<Sending> next() {
        if (unanswered.isEmpty() && !finishing) {
            boolean flood = random.nextInt(FLOOD_ONE_IN) == 0;
            int burst = flood ? FLOOD : 1 + random.nextInt(BURST_MAX);
            for (int i = 0; i < burst; i++) {
                Sending sending = sending(subjects.get(random.nextInt(subjects.size())), flood);
                unanswered.put(sending.id(), sending);
            }
        }
        return new ArrayList<>(unanswered.values());
    }

    private Sending sending(String subject, boolean large) {
        Numbered message = new Numbered(publisher, numbers.merge(subject, 1L, Long::sum));
        int padding = large || random.nextInt(50) == 0 ? random.nextInt(LARGE) : random.nextInt(200);
        String msgId = withIds ? publisher + "-" + subjects.indexOf(subject) + "-" + message.number() : null;
        return new Sending(++lastId, subject, message, message.data(padding), random.nextInt(20) == 0, msgId);
    }

    private void answered(Sending sending, Position at) {
        unanswered.remove(sending.id());
        ledger.acknowledged(sending.subject(), at, sending.message());
    }

    private boolean goesOn() {
        park(random.nextInt(PAUSE_MILLIS));
        return !stopping && !(finishing && unanswered.isEmpty());
    }

    private void overWebSocket(Client client) {
        while (goesOn()) {
            next().forEach(each -> client.send(each.id(), each.subject(), each.data(), each.retain(), each.msgId()));
            while (!unanswered.isEmpty()) {
                hear(client.next());
            }
        }
    }

    private void hear(Event event) {
        switch (event) {
            case Event.Published published -> {
                Sending sending = unanswered.get(published.id());
                if (sending == null) {
                    faults.add("publisher " + publisher, "an answer to what waits for none: " + published);
                } else {
                    answered(sending, published.at());
                }
            }
            case Event.Reconnect reconnect -> {}
            case Event.Closed closed -> {
                if (!WireFollower.CLOSES.contains(closed.code())) {
                    faults.add("publisher " + publisher, closed.toString());
                }
                throw new RawConnection.Ended("with " + closed);
            }
            default -> throw new AssertionError("to a publisher came " + event);
        }
    }

    /** One request behind the other without waiting; the answers come in the same order. */
    private void overHttp(Http http) {
        while (goesOn()) {
            List<Sending> sent = next();
            sent.forEach(each -> http.raw().send(Http.text("POST", target(each), each.data())));
            Iterator<Sending> awaited = sent.iterator();
            while (awaited.hasNext()) {
                Http.Answer answer = http.answer();
                if (answer.status() == UNAVAILABLE || answer.status() == REQUEST_TIMEOUT) {
                    throw new RawConnection.Ended("with " + answer);
                }
                Position at = answer.status() == 200 ? Told.position(answer.json()) : null;
                if (at == null) {
                    throw new AssertionError("to a publisher came " + answer);
                }
                answered(awaited.next(), at);
            }
        }
    }

    private static String target(Sending sending) {
        String subject =
                URLEncoder.encode(sending.subject(), StandardCharsets.UTF_8).replace("+", "%20");
        return "/publish?subject=" + subject
                + (sending.msgId() == null ? "" : "&msgId=" + sending.msgId())
                + (sending.retain() ? "&retain=true" : "");
    }
}
