package io.belfry.clients;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.Numbered;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The publishes of one client that have no outcome yet; the ledger receives those that were acknowledged. Owner: the check's thread. */
final class OpenPublishes {
    /** With more of them at once, a client that publishes one message after the other would need minutes after the last cut. */
    static final int MAX = 50;

    private static final int PUBLISHER = 5;

    private final Scene scene;
    private final DrivenClient client;
    private final String subject;
    private final Map<Long, Numbered> open = new HashMap<>();

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
        Numbered message = new Numbered(PUBLISHER, ++number);
        open.put(client.publish(subject, message.data(padding)), message);
    }

    int count() {
        open.entrySet().removeIf(each -> {
            @Nullable JsonNode outcome = outcomes.remove(each.getKey());
            if (outcome != null) {
                record(each.getValue(), outcome);
            }
            return outcome != null;
        });
        return open.size();
    }

    private void record(Numbered message, JsonNode outcome) {
        if (DrivenClient.op(outcome).equals("acked")) {
            scene.ledger.acknowledged(subject, DrivenClient.position(outcome, "position"), message);
        } else {
            scene.faults.add(client.toString(), message + " was not acknowledged: " + outcome);
        }
    }
}
