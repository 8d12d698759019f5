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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes numbered messages over WebSocket or HTTP in turn, and repeats unanswered ones on the next connection in
 * the old order. Owner: the thread that runs it.
 */
public final class WirePublisher implements RepeatingPublisher {
    private static final int BURST_MAX = 20;
    private static final int LARGE = 15_000;

    /** Pause between bursts; the deliveries to all followers cost far more than the publishes. */
    private static final int PAUSE_MILLIS = 400;

    /** One burst in this number is large enough to fill the kernel's buffers of a stalled reader. */
    private static final int FLOOD_ONE_IN = 30;

    private static final int FLOOD = 100;
    private static final int UNAVAILABLE = 503;

    /** The server closed an idle connection just when a request was on its way. */
    private static final int REQUEST_TIMEOUT = 408;

    private final int publisher;
    private final List<String> subjects;
    private final boolean withIds;
    private final int port;
    private final Random random;
    private final Ledger ledger;
    private final FaultList faults;
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<Long, Sending> unanswered = new LinkedHashMap<>();
    private long lastId;
    private int repeats;
    private volatile BooleanSupplier mayPublish = () -> true;
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

    /** Without ids a repeat is another message, which the check must detect. */
    public WirePublisher(
            int publisher,
            List<String> subjects,
            boolean withIds,
            int port,
            Random random,
            Ledger ledger,
            FaultList faults) {
        this.publisher = publisher;
        this.subjects = subjects;
        this.withIds = withIds;
        this.port = port;
        this.random = random;
        this.ledger = ledger;
        this.faults = faults;
    }

    /** Sets the condition under which new messages are published. */
    public void publishOnlyIf(BooleanSupplier condition) {
        mayPublish = condition;
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
                    case 0 -> overWebSocket(TestClient.over(connection, WireEncoding.BINARY));
                    case 1 -> overWebSocket(TestClient.over(connection, WireEncoding.JSON));
                    default -> overHttp(new Http(connection));
                }
            } catch (RawConnection.Ended | UncheckedIOException cut) {
                // The next connection repeats the unanswered publishes.
            } catch (SocketFrames.Refused refused) {
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

    /** Returns the unanswered publishes of earlier connections in their order, or new ones when all are answered. */
    private List<Sending> next() {
        if (unanswered.isEmpty() && !finishing && mayPublish.getAsBoolean()) {
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

    private boolean continues() {
        park(random.nextInt(PAUSE_MILLIS));
        return !stopping && !(finishing && unanswered.isEmpty());
    }

    private void overWebSocket(TestClient client) {
        while (continues()) {
            next().forEach(each -> client.send(each.id(), each.subject(), each.data(), each.retain(), each.msgId()));
            while (!unanswered.isEmpty()) {
                onEvent(client.next());
            }
        }
    }

    private void onEvent(Event event) {
        switch (event) {
            case Event.Published published -> {
                Sending sending = unanswered.get(published.id());
                if (sending == null) {
                    faults.add("publisher " + publisher, "unexpected answer: " + published);
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
            default -> throw new AssertionError("unexpected event for a publisher: " + event);
        }
    }

    /** Pipelines the requests; the answers arrive in the same order. */
    private void overHttp(Http http) {
        while (continues()) {
            List<Sending> sent = next();
            sent.forEach(each -> http.raw().send(Http.text("POST", target(each), each.data())));
            Iterator<Sending> awaited = sent.iterator();
            while (awaited.hasNext()) {
                Http.Answer answer = http.answer();
                if (answer.status() == UNAVAILABLE || answer.status() == REQUEST_TIMEOUT) {
                    throw new RawConnection.Ended("with " + answer);
                }
                Position at = answer.status() == 200 ? JsonEvents.position(answer.json()) : null;
                if (at == null) {
                    throw new AssertionError("unexpected event for a publisher: " + answer);
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
