package io.belfry.server.monitor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.belfry.server.alert.Alert;
import io.belfry.server.counter.Counter;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The state of one node in a few figures, as nodes publish it to {@code /$cluster/nodes}. Immutable.
 *
 * @param reason why the node is not ready, or what partly fails; empty if all is well
 * @param stale whether the node is cut off from the cluster's log or lags behind it
 * @param alerts number of raised alerts
 * @param worst title and reason of the most severe alert; empty without alerts
 * @param seenMillis when the figures arrived here, in ms since 1970
 */
public record NodeSummary(
        String node,
        boolean ready,
        String reason,
        String version,
        Figures figures,
        boolean stale,
        int alerts,
        String worst,
        long seenMillis) {
    /**
     * A node's load. Immutable.
     *
     * @param in messages published by clients per second
     * @param out messages handed to sessions' sockets per second
     * @param bytesOut bytes handed to sockets per second
     * @param p99Micros 99th percentile of delivery latency within about the last minute
     * @param loopLagMaxMicros maximum lag of an event loop within about the last minute
     */
    public record Figures(
            long sessions, double in, double out, double bytesOut, long p99Micros, long loopLagMaxMicros) {}

    /** Member of a message by which a node with subscribers asks the other nodes for their summaries. */
    public static final String QUESTION = "\"asks\":true";

    private static final JsonFactory JSON = new JsonFactory();

    /** Returns the summary of this node. */
    public static NodeSummary of(Monitored monitored, Snapshot now, List<Alert> raised, long seenMillis) {
        Health.State health = monitored.health().ready();
        return new NodeSummary(
                monitored.node(),
                health.problem().isEmpty(),
                health.problem().or(health::warning).orElse(""),
                monitored.version(),
                new Figures(
                        now.tally().connectedSessions(),
                        now.rates().publishesIn(),
                        now.rates().messagesOut(),
                        now.rates().bytesOut(),
                        now.latency().p99Micros(),
                        now.loopLagMaxMicros()),
                now.tally().value(Counter.CLUSTER_STALE) > 0,
                raised.size(),
                raised.stream().findFirst().map(Alert::sentence).orElse(""),
                seenMillis);
    }

    /** Writes the members of the summary's object. */
    public void writeMembers(JsonGenerator json) throws IOException {
        json.writeStringField("node", node);
        json.writeBooleanField("ready", ready);
        json.writeStringField("reason", reason);
        json.writeStringField("version", version);
        json.writeNumberField("sessions", figures.sessions());
        json.writeNumberField("in", figures.in());
        json.writeNumberField("out", figures.out());
        json.writeNumberField("bytesOut", figures.bytesOut());
        json.writeNumberField("p99", figures.p99Micros());
        json.writeNumberField("loopLagMax", figures.loopLagMaxMicros());
        json.writeBooleanField("stale", stale);
        json.writeNumberField("alerts", alerts);
        json.writeStringField("worst", worst);
    }

    /** Reads what {@link #writeMembers} wrote, perhaps in another version: unknown fields are skipped, missing ones are zero. */
    static NodeSummary read(byte[] data, long seenMillis) throws IOException {
        Map<String, String> fields = new HashMap<>();
        try (JsonParser json = JSON.createParser(data)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not a JSON object");
            }
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                if (json.nextToken().isScalarValue()) {
                    fields.put(name, json.getText());
                } else {
                    json.skipChildren();
                }
            }
        }
        return of(fields, seenMillis);
    }

    private static NodeSummary of(Map<String, String> fields, long seenMillis) throws IOException {
        try {
            return new NodeSummary(
                    fields.getOrDefault("node", ""),
                    fields.getOrDefault("ready", "").equals("true"),
                    fields.getOrDefault("reason", ""),
                    fields.getOrDefault("version", ""),
                    new Figures(
                            Long.parseLong(fields.getOrDefault("sessions", "0")),
                            Double.parseDouble(fields.getOrDefault("in", "0")),
                            Double.parseDouble(fields.getOrDefault("out", "0")),
                            Double.parseDouble(fields.getOrDefault("bytesOut", "0")),
                            Long.parseLong(fields.getOrDefault("p99", "0")),
                            Long.parseLong(fields.getOrDefault("loopLagMax", "0"))),
                    fields.getOrDefault("stale", "").equals("true"),
                    Integer.parseInt(fields.getOrDefault("alerts", "0")),
                    fields.getOrDefault("worst", ""),
                    seenMillis);
        } catch (NumberFormatException wrong) {
            throw new IOException("not a number where one is expected", wrong);
        }
    }
}
