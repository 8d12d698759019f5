package io.belfry.clients;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.Numbered;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The publishes of one client that have no outcome yet; the ledger receives those that were acknowledged. Owner: the check's thread. */
final class OpenPublishes {
    /** With more of them at once, a client that publishes one message after the other would need minutes after the last cut. */
    private static final int MAX = 50;

    private static final int PUBLISHER = 5;
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Age of the oldest open publish at which no further one is made. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(7);

    private record Publish(Numbered message, long nanos) {}

    private final Scene scene;
    private final DrivenClient client;
    private final String subject;
    /** In the order of the publishes. */
    private final Map<Long, Publish> open = new LinkedHashMap<>();

    private long answeredNanos = System.nanoTime();

    /** Outcomes by the id of the publish. An outcome may arrive before the driver has answered the command. */
    private final Map<Long, JsonNode> outcomes = new ConcurrentHashMap<>();

    private long number;

    OpenPublishes(Scene scene, DrivenClient client, String subject) {
        this.scene = scene;
        this.client = client;
        this.subject = subject;
        client.keepLittle();
        client.alsoObserve(event -> {
            if (event.has("id")) {
                outcomes.put(event.path("id").asLong(), event);
            }
        });
    }

    void publish(int padding) {
        if (open.isEmpty()) {
            answeredNanos = System.nanoTime();
        }
        Numbered message = new Numbered(PUBLISHER, ++number);
        open.put(client.publish(subject, message.data(padding)), new Publish(message, System.nanoTime()));
    }

    int count() {
        open.entrySet().removeIf(each -> {
            @Nullable JsonNode outcome = outcomes.remove(each.getKey());
            if (outcome != null) {
                answeredNanos = System.nanoTime();
                record(each.getValue().message(), outcome);
            }
            return outcome != null;
        });
        return open.size();
    }

    /**
     * Returns whether another publish may be made: few are open, and none of them for long. On a busy machine a client that
     * publishes one message after the other would otherwise need minutes after the last cut.
     */
    boolean hasRoom() {
        return count() < MAX && open.values().stream().noneMatch(each -> System.nanoTime() - each.nanos() > LATE_NANOS);
    }

    /** Returns whether publishes are open and none had an outcome for a while. */
    boolean isStuck() {
        return count() > 0 && System.nanoTime() - answeredNanos > STUCK_NANOS;
    }

    private void record(Numbered message, JsonNode outcome) {
        if (DrivenClient.op(outcome).equals("acked")) {
            scene.ledger.acknowledged(subject, DrivenClient.position(outcome, "position"), message);
        } else {
            String before = scene.faults.count() == 0 ? ", after " + client.latest() : "";
            scene.faults.add(client.toString(), message + " was not acknowledged: " + outcome + before);
        }
    }
}
