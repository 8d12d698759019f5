package io.belfry.server.console;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.server.alert.Alert;
import io.belfry.server.alert.AlertRule;
import io.belfry.server.counter.Counter;
import io.belfry.server.json.JsonBytes;
import io.belfry.server.monitor.FigureJson;
import io.belfry.server.monitor.IntervalFigures;
import io.belfry.server.monitor.LaneFigures;
import io.belfry.server.monitor.ProcessShares;
import io.belfry.server.monitor.Rates;
import io.belfry.server.monitor.Snapshot;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** Writes the line of a second from two successive snapshots. Owner: the monitor's thread, except {@link #event}. */
final class SecondJson {
    private static final int SLOWEST = 5;

    /** An event of a second, such as a raised alert. */
    record Event(String kind, String text) {}

    private final Map<String, Long> collectionMillis = new HashMap<>();
    private final Map<String, Long> collections = new HashMap<>();
    private final ConcurrentLinkedQueue<Event> events = new ConcurrentLinkedQueue<>();
    private Set<AlertRule> raised = Set.of();
    private long processorNanos = processorNanos();
    private Snapshot before;

    SecondJson(Snapshot first) {
        before = first;
        ManagementFactory.getGarbageCollectorMXBeans().forEach(bean -> {
            collections.put(bean.getName(), bean.getCollectionCount());
            collectionMillis.put(bean.getName(), bean.getCollectionTime());
        });
    }

    /** Adds an event to the next line. Any thread. */
    void event(String kind, String text) {
        events.add(new Event(kind, text));
    }

    byte[] line(long seq, Snapshot now, List<Alert> alerts, long nowMillis) {
        Snapshot previous = before;
        before = now;
        onAlerts(alerts);
        return JsonBytes.object(json -> {
            json.writeStringField("type", "second");
            json.writeNumberField("seq", seq);
            json.writeNumberField("time", nowMillis);
            traffic(json, now);
            IntervalFigures interval = now.interval();
            Json.percentiles(json, "latency", interval.latency());
            buckets(json, interval.latencyBuckets());
            lanes(json, interval.lanes());
            FigureJson.counts(json, previous.counts(), now.counts());
            counted(json, "recovered", Counter.RECOVERIES_COMPLETE, previous, now);
            counted(json, "recoveredWithGap", Counter.RECOVERIES_WITH_GAP, previous, now);
            counted(json, "publishesRefused", Counter.PUBLISHES_REFUSED, previous, now);
            process(json, now.takenAtNanos() - previous.takenAtNanos());
            FigureJson.slowest(json, now.slowest().stream().limit(SLOWEST).toList());
            happened(json);
        });
    }

    private void onAlerts(List<Alert> alerts) {
        Set<AlertRule> now = alerts.stream().map(Alert::rule).collect(Collectors.toSet());
        alerts.stream()
                .filter(alert -> !raised.contains(alert.rule()))
                .forEach(alert -> event("alert-raised", alert.sentence()));
        Set<AlertRule> ended = new HashSet<>(raised);
        ended.removeAll(now);
        ended.forEach(rule -> event("alert-ended", rule.title()));
        raised = now;
    }

    private static void traffic(JsonGenerator json, Snapshot now) throws IOException {
        Rates rates = now.rates();
        json.writeNumberField("sessions", now.tally().connectedSessions());
        json.writeNumberField("opened", Math.round(rates.sessionsOpened()));
        json.writeNumberField("closed", Math.round(rates.sessionsClosed()));
        json.writeNumberField("in", Math.round(rates.publishesIn()));
        json.writeNumberField("out", Math.round(rates.messagesOut()));
        json.writeNumberField("bytesIn", Math.round(rates.bytesIn()));
        json.writeNumberField("bytesOut", Math.round(rates.bytesOut()));
        json.writeNumberField("slow", now.tally().value(Counter.SLOW_SESSIONS));
        json.writeNumberField("queuedBytes", now.tally().value(Counter.QUEUED_BYTES));
        json.writeNumberField("subjects", now.tally().value(Counter.SUBJECTS));
        json.writeNumberField("subscriptions", now.tally().value(Counter.SUBSCRIPTIONS));
    }

    private static void buckets(JsonGenerator json, List<Long> counts) throws IOException {
        json.writeArrayFieldStart("buckets");
        for (int i = 0; i < counts.size(); i++) {
            if (counts.get(i) > 0) {
                array(json, i, counts.get(i));
            }
        }
        json.writeEndArray();
    }

    private static void array(JsonGenerator json, long... values) throws IOException {
        json.writeStartArray();
        for (long value : values) {
            json.writeNumber(value);
        }
        json.writeEndArray();
    }

    private static void lanes(JsonGenerator json, List<LaneFigures> lanes) throws IOException {
        json.writeArrayFieldStart("lanes");
        for (LaneFigures lane : lanes) {
            array(
                    json,
                    lane.tally().connectedSessions(),
                    Math.round(lane.rates().publishesIn()),
                    Math.round(lane.rates().messagesOut()),
                    Math.round(lane.rates().bytesOut()),
                    lane.lagMaxMicros(),
                    lane.tally().value(Counter.INBOX_BYTES),
                    lane.tally().value(Counter.QUEUED_BYTES),
                    lane.tally().value(Counter.SLOW_SESSIONS));
        }
        json.writeEndArray();
    }

    private static void counted(JsonGenerator json, String name, Counter counter, Snapshot before, Snapshot now)
            throws IOException {
        json.writeNumberField(name, now.tally().value(counter) - before.tally().value(counter));
    }

    private void process(JsonGenerator json, long elapsedNanos) throws IOException {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        json.writeNumberField("heapUsed", heap.getUsed());
        json.writeNumberField("heapMax", heap.getMax());
        json.writeNumberField("direct", ProcessShares.directBytes());
        long processors = processorNanos();
        json.writeNumberField(
                "cpu", Math.round(1000.0 * (processors - processorNanos) / Math.max(1, elapsedNanos)) / 1000.0);
        processorNanos = processors;
        json.writeArrayFieldStart("gc");
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            long count = bean.getCollectionCount();
            long millis = bean.getCollectionTime();
            if (count > collections.getOrDefault(bean.getName(), 0L)) {
                json.writeStartObject();
                json.writeStringField("name", bean.getName());
                json.writeNumberField("millis", millis - collectionMillis.getOrDefault(bean.getName(), 0L));
                json.writeEndObject();
            }
            collections.put(bean.getName(), count);
            collectionMillis.put(bean.getName(), millis);
        }
        json.writeEndArray();
    }

    private static long processorNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    private void happened(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("events");
        for (Event event = events.poll(); event != null; event = events.poll()) {
            json.writeStartObject();
            json.writeStringField("kind", event.kind());
            json.writeStringField("text", event.text());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
