package io.belfry.server.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import com.sun.net.httpserver.Headers;
import io.belfry.server.counter.Counter;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Serves {@code /stats}: the latest snapshot as one JSON object, for scripts and the console. Immutable. */
record StatsPage(Sampler sampler, Monitored monitored) implements Page {
    @Override
    public Answer answer(Headers request) throws IOException {
        Snapshot snapshot = sampler.latest();
        return Answer.json(200, json -> {
            json.writeStartObject();
            writeFields(json, monitored, snapshot);
            writeLists(json, snapshot);
            json.writeEndObject();
        });
    }

    /** Writes the object of this page without the slowest sessions and the workgroups. */
    static void writeNode(JsonGenerator json, Monitored monitored, Snapshot snapshot) throws IOException {
        json.writeStartObject();
        writeFields(json, monitored, snapshot);
        json.writeEndObject();
    }

    private static void writeFields(JsonGenerator json, Monitored monitored, Snapshot snapshot) throws IOException {
        json.writeStringField("version", monitored.version());
        json.writeStringField("node", monitored.node());
        json.writeNumberField("uptimeMillis", snapshot.uptimeMillis());
        json.writeNumberField("connectedSessions", snapshot.tally().connectedSessions());
        rates(json, snapshot.rates());
        counters(json, snapshot.tally());
        FigureJson.counts(json, Snapshot.CountsByCode.NONE, snapshot.counts());
        percentiles(json, "latencyMicros", snapshot.latency());
        percentiles(json, "latencySinceStartMicros", snapshot.latencySinceStart());
        heap(json);
        gcPauses(json);
        if (monitored.encryption().isPresent()) {
            FigureJson.encryption(json, monitored.encryption().get());
        }
        if (monitored.cluster().isPresent()) {
            cluster(json, monitored.cluster().get());
        }
    }

    private static void writeLists(JsonGenerator json, Snapshot snapshot) throws IOException {
        FigureJson.slowest(json, snapshot.slowest());
        json.writeArrayFieldStart("workgroups");
        for (WorkgroupFigures workgroup : snapshot.workgroups()) {
            workgroup(json, workgroup, true);
        }
        json.writeEndArray();
    }

    private static void cluster(JsonGenerator json, ClusterView cluster) throws IOException {
        json.writeObjectFieldStart("cluster");
        Optional<String> stale = cluster.stale().get();
        json.writeBooleanField("stale", stale.isPresent());
        if (stale.isPresent()) {
            json.writeStringField("staleReason", stale.get());
        }
        FigureJson.lagByPartition(json, cluster);
        json.writeEndObject();
    }

    static void workgroup(JsonGenerator json, WorkgroupFigures workgroup, boolean withCounters) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", workgroup.name());
        json.writeNumberField("loops", workgroup.loops());
        json.writeNumberField("connectedSessions", workgroup.tally().connectedSessions());
        rates(json, workgroup.rates());
        if (withCounters) {
            counters(json, workgroup.tally());
        }
        percentiles(json, "loopLagMicros", workgroup.lag());
        json.writeEndObject();
    }

    private static void rates(JsonGenerator json, Rates rates) throws IOException {
        json.writeObjectFieldStart("perSecond");
        json.writeNumberField("sessionsOpened", rates.sessionsOpened());
        json.writeNumberField("sessionsClosed", rates.sessionsClosed());
        json.writeNumberField("publishesIn", rates.publishesIn());
        json.writeNumberField("messagesOut", rates.messagesOut());
        json.writeNumberField("bytesIn", rates.bytesIn());
        json.writeNumberField("bytesOut", rates.bytesOut());
        json.writeEndObject();
    }

    private static void counters(JsonGenerator json, Tally tally) throws IOException {
        json.writeObjectFieldStart("counters");
        for (Counter counter : Counter.values()) {
            json.writeNumberField(jsonName(counter), tally.value(counter));
        }
        json.writeEndObject();
    }

    /** Returns the JSON name of a counter, such as {@code messagesOut} for {@code MESSAGES_OUT}. */
    static String jsonName(Counter counter) {
        String words = Arrays.stream(counter.name().split("_", -1))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
        return Character.toLowerCase(words.charAt(0)) + words.substring(1);
    }

    private static void percentiles(JsonGenerator json, String field, Percentiles percentiles) throws IOException {
        json.writeObjectFieldStart(field);
        json.writeNumberField("count", percentiles.count());
        json.writeNumberField("p50", percentiles.p50Micros());
        json.writeNumberField("p90", percentiles.p90Micros());
        json.writeNumberField("p99", percentiles.p99Micros());
        json.writeNumberField("p999", percentiles.p999Micros());
        json.writeNumberField("max", percentiles.maxMicros());
        json.writeEndObject();
    }

    private static void heap(JsonGenerator json) throws IOException {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        json.writeObjectFieldStart("heapBytes");
        json.writeNumberField("used", heap.getUsed());
        json.writeNumberField("max", heap.getMax());
        json.writeEndObject();
        json.writeNumberField("directBytes", ProcessShares.directBytes());
    }

    /** Writes how often and how long the collector has stopped the server. The cycles of ZGC run beside the threads. */
    private static void gcPauses(JsonGenerator json) throws IOException {
        long count = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!collector.getName().endsWith("Cycles")) {
                count += collector.getCollectionCount();
                millis += collector.getCollectionTime();
            }
        }
        json.writeObjectFieldStart("gcPauses");
        json.writeNumberField("count", count);
        json.writeNumberField("millis", millis);
        json.writeEndObject();
    }
}
