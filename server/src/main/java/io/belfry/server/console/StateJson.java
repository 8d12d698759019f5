package io.belfry.server.console;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.protocol.Code;
import io.belfry.server.alert.Alert;
import io.belfry.server.counter.Counter;
import io.belfry.server.json.JsonBytes;
import io.belfry.server.monitor.ClusterView;
import io.belfry.server.monitor.FigureJson;
import io.belfry.server.monitor.Health;
import io.belfry.server.monitor.Monitored;
import io.belfry.server.monitor.NodeSummary;
import io.belfry.server.monitor.Snapshot;
import io.belfry.server.monitor.Tally;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Writes the state after a second: alerts, totals since the start, the slowest sessions, and the nodes. Immutable. */
record StateJson(Monitored monitored) {
    byte[] line(Snapshot now, List<Alert> alerts, List<NodeSummary> nodes) {
        return JsonBytes.object(json -> {
            json.writeStringField("type", "state");
            readiness(json);
            Json.alerts(json, alerts);
            totals(json, now.tally());
            FigureJson.counts(json, Snapshot.CountsByCode.NONE, now.counts());
            Json.percentiles(json, "latencyMinute", now.latency());
            json.writeNumberField("loopLagP99", now.loopLagP99Micros());
            json.writeNumberField("loopLagMax", now.loopLagMaxMicros());
            FigureJson.slowest(json, now.slowest());
            if (monitored.encryption().isPresent()) {
                FigureJson.encryption(json, monitored.encryption().get());
            }
            if (monitored.cluster().isPresent()) {
                cluster(json, monitored.cluster().get());
            }
            json.writeArrayFieldStart("nodes");
            for (NodeSummary node : nodes) {
                node(json, node);
            }
            json.writeEndArray();
        });
    }

    private void readiness(JsonGenerator json) throws IOException {
        Health.State state = monitored.health().ready();
        json.writeBooleanField("ready", state.problem().isEmpty());
        Json.optional(json, "reason", state.problem());
        Json.optional(json, "warning", state.warning());
    }

    private static void totals(JsonGenerator json, Tally tally) throws IOException {
        json.writeObjectFieldStart("totals");
        json.writeNumberField("sessionsOpened", tally.value(Counter.SESSIONS_OPENED));
        json.writeNumberField("publishesIn", tally.value(Counter.PUBLISHES_IN));
        json.writeNumberField("messagesOut", tally.value(Counter.MESSAGES_OUT));
        json.writeNumberField("bytesIn", tally.value(Counter.BYTES_IN));
        json.writeNumberField("bytesOut", tally.value(Counter.BYTES_OUT));
        json.writeNumberField("recovered", tally.value(Counter.RECOVERIES_COMPLETE));
        json.writeNumberField("recoveredWithGap", tally.value(Counter.RECOVERIES_WITH_GAP));
        json.writeNumberField("dropped", tally.value(Counter.MESSAGES_DROPPED));
        json.writeNumberField("conflated", tally.value(Counter.MESSAGES_CONFLATED));
        json.writeNumberField("publishesRefused", tally.value(Counter.PUBLISHES_REFUSED));
        json.writeNumberField("duplicates", tally.value(Counter.PUBLISHES_DUPLICATE));
        json.writeNumberField("early", tally.value(Counter.CACHED_MESSAGES_EARLY));
        json.writeEndObject();
    }

    private static void cluster(JsonGenerator json, ClusterView cluster) throws IOException {
        Optional<String> stale = cluster.stale().get();
        json.writeObjectFieldStart("cluster");
        json.writeBooleanField("stale", stale.isPresent());
        Json.optional(json, "staleReason", stale);
        FigureJson.lagByPartition(json, cluster);
        json.writeEndObject();
    }

    private void node(JsonGenerator json, NodeSummary node) throws IOException {
        json.writeStartObject();
        node.writeMembers(json);
        json.writeBooleanField("self", node.node().equals(monitored.node()));
        json.writeNumberField("seenMillis", node.seenMillis());
        json.writeEndObject();
    }

    /** Returns all codes with the sentences that explain them. */
    static byte[] codes() {
        return JsonBytes.object(json -> {
            for (Code code : Code.values()) {
                json.writeStringField(code.text(), code.sentence());
            }
        });
    }
}
