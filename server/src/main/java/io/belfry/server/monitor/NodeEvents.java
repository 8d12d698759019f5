package io.belfry.server.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.server.counter.Counter;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what happened to a node within a second: a change of its state, and growth of the counters that report trouble.
 * Owner: the sampler's thread.
 */
final class NodeEvents {
    /** Counters whose growth an operator may want to see at once. */
    private static final List<Counter> TROUBLE = List.of(
            Counter.MESSAGES_DROPPED,
            Counter.MESSAGES_CONFLATED,
            Counter.CACHED_MESSAGES_EARLY,
            Counter.PUBLISHES_REFUSED,
            Counter.PUBLISH_PAUSES,
            Counter.RECOVERIES_WITH_GAP,
            Counter.HISTORY_FAILURES,
            Counter.KEY_FAILURES,
            Counter.TLS_HANDSHAKES_FAILED,
            Counter.CLUSTER_PUBLISHES_UNKNOWN,
            Counter.CLUSTER_MALFORMED,
            Counter.LOOP_FAILURES);

    private @Nullable String lastState;
    private @Nullable Snapshot lastLook;

    /** One event of a second: a new state with its reason, or a counter with its growth. */
    record NodeEvent(String event, String detail, long by) {
        void write(JsonGenerator json) throws IOException {
            json.writeStartObject();
            json.writeStringField("event", event);
            if (by > 0) {
                json.writeStringField("counter", detail);
                json.writeNumberField("by", by);
            } else if (!detail.isEmpty()) {
                json.writeStringField("reason", detail);
            }
            json.writeEndObject();
        }
    }

    /** Returns the events since the snapshot before; the first ones after a pause include the present state. */
    List<NodeEvent> between(Snapshot before, Snapshot now, Health.State health) {
        NodeEvent state = state(health);
        boolean first = lastLook == null || !lastLook.equals(before);
        boolean changed = first || !state.toString().equals(lastState);
        lastState = state.toString();
        lastLook = now;
        List<NodeEvent> grown = TROUBLE.stream()
                .filter(counter -> growth(counter, before, now) > 0)
                .map(counter -> new NodeEvent("counted", StatsPage.jsonName(counter), growth(counter, before, now)))
                .toList();
        return changed
                ? java.util.stream.Stream.concat(java.util.stream.Stream.of(state), grown.stream())
                        .toList()
                : grown;
    }

    private static NodeEvent state(Health.State health) {
        String event = health.problem().isEmpty() ? "ready" : "not-ready";
        return new NodeEvent(event, health.problem().or(health::warning).orElse(""), 0);
    }

    private static long growth(Counter counter, Snapshot before, Snapshot now) {
        return now.tally().value(counter) - before.tally().value(counter);
    }
}
