package io.belfry.clients;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.Await;
import io.belfry.integration.StreamWitness;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A client in a driver, with the events that it reported. Any thread. */
final class DrivenClient {
    private final DriverProcess driver;
    private final String name;
    /** Number of events besides messages and gaps that remain in a run of any length. */
    private static final int OTHERS_KEPT = 10_000;

    private final List<JsonNode> messages = new ArrayList<>();
    private final Deque<JsonNode> others = new ArrayDeque<>();
    private volatile Consumer<JsonNode> observer = event -> {};
    private boolean keepsLittle;
    private boolean closed;

    DrivenClient(DriverProcess driver, String name) {
        this.driver = driver;
        this.name = name;
        driver.register(name, this::onEvent);
    }

    private void onEvent(JsonNode event) {
        record(event);
        // Last, because a check that the observer wakes reads the recorded events.
        observer.accept(event);
    }

    private synchronized void record(JsonNode event) {
        switch (op(event)) {
            case "message" -> {
                if (!keepsLittle) {
                    messages.add(event);
                }
            }
            case "gap" -> messages.add(event);
            default -> others.add(event);
        }
        if (keepsLittle && others.size() > OTHERS_KEPT) {
            others.removeFirst();
        }
        if (closed) {
            others.add(DriverProcess.JSON.createObjectNode().put("op", "after-close"));
        }
    }

    static String op(JsonNode event) {
        return event.path("op").asText();
    }

    /** Calls the observer too with each event from now on, on the thread that reads the driver's output. */
    void alsoObserve(Consumer<JsonNode> each) {
        observer = observer.andThen(each);
    }

    /** Keeps no further message, and only the latest of the other events: a run of hours with a witness needs bounded memory. */
    synchronized void keepLittle() {
        keepsLittle = true;
    }

    // ---- commands ----

    ObjectNode command(String op) {
        return DriverProcess.JSON.createObjectNode().put("op", op).put("client", name);
    }

    JsonNode call(ObjectNode command) {
        return driver.call(command);
    }

    void subscribe(String subject) {
        call(command("subscribe").put("subject", subject));
    }

    void subscribe(String subject, Position from) {
        call(command("subscribe").put("subject", subject).put("from", from.toString()));
    }

    /** Subscribes to a pattern after a position that {@link #patternPosition} returned. */
    void subscribe(String pattern, String from) {
        call(command("subscribe").put("subject", pattern).put("from", from));
    }

    /** Returns the position of a pattern that is followed by a callback; empty if the client has none. */
    String patternPosition(String pattern) {
        return call(command("position").put("subject", pattern))
                .path("position")
                .asText("");
    }

    void unsubscribe(String subject) {
        call(command("unsubscribe").put("subject", subject));
    }

    /** Publishes and returns the id of the outcome. */
    long publish(String subject, String text) {
        return publish(command("publish").put("subject", subject).put("text", text));
    }

    long publish(ObjectNode command) {
        call(command);
        return command.path("id").asLong();
    }

    void close() {
        call(command("close"));
        synchronized (this) {
            closed = true;
        }
    }

    // ---- events ----

    /** Returns the messages and gaps so far. */
    synchronized List<JsonNode> messages() {
        return List.copyOf(messages);
    }

    /** Returns the texts of the messages so far. */
    List<String> texts() {
        return messages().stream()
                .filter(event -> op(event).equals("message"))
                .map(event -> event.path("text").asText())
                .toList();
    }

    List<JsonNode> gaps() {
        return messages().stream().filter(event -> op(event).equals("gap")).toList();
    }

    /** Returns the events of one kind, except messages and gaps. */
    synchronized List<JsonNode> events(String op) {
        return others.stream().filter(event -> op(event).equals(op)).toList();
    }

    /** Returns the statuses of one state. */
    List<JsonNode> statuses(String state) {
        return events("status").stream()
                .filter(event -> event.path("state").asText().equals(state))
                .toList();
    }

    /** Waits until a number of messages and gaps have arrived. */
    List<JsonNode> awaitMessages(int count) {
        Await.until(this + " has " + count + " messages or gaps, it has " + count(), () -> count() >= count);
        return messages();
    }

    private synchronized int count() {
        return messages.size();
    }

    JsonNode await(String op, Predicate<JsonNode> wanted) {
        return await(op, Await.LONG, wanted);
    }

    /** Waits for an event of one kind. */
    JsonNode await(String op, Duration atMost, Predicate<JsonNode> wanted) {
        try {
            Await.until(op, atMost, () -> events(op).stream().anyMatch(wanted));
        } catch (AssertionError late) {
            throw new AssertionError("no such " + op + " of " + this + " within " + atMost + ": " + latest(), late);
        }
        return events(op).stream().filter(wanted).findFirst().orElseThrow();
    }

    /** Returns the latest events, except messages and gaps. */
    synchronized List<JsonNode> latest() {
        return others.stream().skip(Math.max(0, others.size() - 20)).toList();
    }

    JsonNode awaitState(String state) {
        return await("status", event -> event.path("state").asText().equals(state));
    }

    /** Waits until a state was reported so many times. */
    void awaitStates(String state, int times) {
        Await.until(
                this + " is " + state + " " + times + " times",
                () -> statuses(state).size() >= times);
    }

    /** Waits until a subscription was confirmed. */
    void awaitSubscribed(String subject) {
        await("subscribed", event -> event.path("subject").asText().equals(subject));
    }

    /** Waits until a subscription was confirmed so many times; returns the last result of recovery. */
    String awaitSubscribed(String subject, int times) {
        Await.until(
                this + " confirms " + subject + " " + times + " times",
                () -> confirmations(subject).size() >= times);
        return confirmations(subject).get(times - 1).path("recovery").asText();
    }

    private List<JsonNode> confirmations(String subject) {
        return events("subscribed").stream()
                .filter(event -> event.path("subject").asText().equals(subject))
                .toList();
    }

    /** Waits for the outcome of a publish. */
    JsonNode outcome(long id) {
        Await.until("the outcome of publish " + id + " of " + this, () -> found(id) != null);
        return requireNonNull(found(id));
    }

    private synchronized @Nullable JsonNode found(long id) {
        return others.stream()
                .filter(event -> event.path("id").asLong() == id)
                .findFirst()
                .orElse(null);
    }

    /** Waits for the acknowledgement of a publish and returns its position. */
    Position acked(long id) {
        JsonNode outcome = outcome(id);
        if (!op(outcome).equals("acked")) {
            throw new AssertionError("not acknowledged: " + outcome);
        }
        return position(outcome, "position");
    }

    static Position position(JsonNode event, String member) {
        return requireNonNull(Position.parse(event.path(member).asText()));
    }

    static @Nullable Position positionOrNull(JsonNode event, String member) {
        return event.has(member) ? position(event, member) : null;
    }

    /** Lets a witness check every message and gap from now on. */
    void report(StreamWitness witness) {
        report(witness, event -> true);
    }

    /** Lets a witness check every message and gap of one subscription from now on. */
    void report(StreamWitness witness, String subscription) {
        report(witness, event -> event.path("sub").asText().equals(subscription));
    }

    private void report(StreamWitness witness, Predicate<JsonNode> concerned) {
        alsoObserve(event -> {
            switch (concerned.test(event) ? op(event) : "") {
                case "message" ->
                    witness.message(
                            event.path("subject").asText(),
                            position(event, "position"),
                            event.path("text").asText(),
                            MessageType.valueOf(event.path("type").asText().toUpperCase(Locale.ROOT)));
                case "gap" -> {
                    boolean ofPattern = !event.has("from") && !event.has("to");
                    if (!ofPattern) {
                        witness.gap(
                                event.path("subject").asText(),
                                positionOrNull(event, "from"),
                                positionOrNull(event, "to"),
                                event.path("reason").asText());
                    }
                }
                default -> {}
            }
        });
    }

    @Override
    public String toString() {
        return name;
    }
}
