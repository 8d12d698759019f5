package io.belfry.server.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.server.alert.Alert;
import io.belfry.server.json.JsonBytes;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the messages of the feed from snapshots. Owner: the sampler's thread. */
final class SnapshotFeed implements FeedSource {

    private final Monitored monitored;
    private final Supplier<List<Alert>> alerts;
    private final NodeEvents events = new NodeEvents();

    SnapshotFeed(Monitored monitored, Supplier<List<Alert>> alerts) {
        this.monitored = monitored;
        this.alerts = alerts;
    }

    @Override
    public byte @Nullable [] json(FeedSubject subject, Snapshot before, Snapshot now) {
        return switch (subject) {
            case STATS -> JsonBytes.of(json -> StatsPage.writeNode(json, monitored, now));
            case LATENCY -> object(json -> latency(json, before.latencyBuckets(), now.latencyBuckets()));
            case LANES -> object(json -> lanes(json, now));
            case SLOW -> object(json -> FigureJson.slowest(json, now.slowest()));
            case EVENTS -> events(before, now);
            case NODES -> JsonBytes.of(json -> summary(json, now));
        };
    }

    /** Writes the summary; with subscribers here it asks the other nodes to publish theirs. */
    private void summary(JsonGenerator json, Snapshot now) throws IOException {
        json.writeStartObject();
        NodeSummary.of(monitored, now, alerts.get(), 0).writeMembers(json);
        if (monitored.feed().isFollowedHere(FeedSubject.CLUSTER)) {
            json.writeBooleanField("asks", true);
        }
        json.writeEndObject();
    }

    /** Writes the number of deliveries up to each bound and more than the one before, and last those above all bounds. */
    private static void latency(JsonGenerator json, LatencyBuckets before, LatencyBuckets now) throws IOException {
        long count = now.count() - before.count();
        json.writeNumberField("count", count);
        json.writeNumberField("sumMicros", now.sumMicros() - before.sumMicros());
        json.writeArrayFieldStart("boundsMicros");
        for (long bound : LatencyBuckets.BOUNDS_MICROS) {
            json.writeNumber(bound);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("counts");
        long below = 0;
        for (int bound = 0; bound < LatencyBuckets.BOUNDS_MICROS.size(); bound++) {
            long atMost = now.atMost().get(bound) - before.atMost().get(bound);
            json.writeNumber(atMost - below);
            below = atMost;
        }
        json.writeNumber(count - below);
        json.writeEndArray();
    }

    private static void lanes(JsonGenerator json, Snapshot now) throws IOException {
        json.writeArrayFieldStart("workgroups");
        for (WorkgroupFigures workgroup : now.workgroups()) {
            // Without the counters: those of 64 workgroups would exceed MaxMessageSize.
            StatsPage.workgroup(json, workgroup, false);
        }
        json.writeEndArray();
    }

    private byte @Nullable [] events(Snapshot before, Snapshot now) {
        List<NodeEvents.NodeEvent> happened =
                events.between(before, now, monitored.health().ready());
        if (happened.isEmpty()) {
            return null;
        }
        return object(json -> {
            json.writeArrayFieldStart("events");
            for (NodeEvents.NodeEvent each : happened) {
                each.write(json);
            }
            json.writeEndArray();
        });
    }

    /** Writes an object that begins with the node's name. */
    private byte[] object(JsonBytes.Part fields) {
        return JsonBytes.object(json -> {
            json.writeStringField("node", monitored.node());
            fields.write(json);
        });
    }
}
