package io.belfry.server.monitor;

import io.belfry.protocol.Code;
import io.belfry.server.alert.Alert;
import io.belfry.server.counter.Counter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The server's bean, which shows the sampler's latest snapshot. Immutable. */
final class ServerBean extends TrafficBean implements ServerMXBean {
    private final Sampler sampler;
    private final String node;
    private final String version;
    private final Supplier<List<Alert>> alerts;

    ServerBean(Sampler sampler, String node, String version, Supplier<List<Alert>> alerts) {
        super(ServerMXBean.class, "Figures of the whole server.");
        this.sampler = sampler;
        this.node = node;
        this.version = version;
        this.alerts = alerts;
    }

    @Override
    public String getVersion() {
        return version;
    }

    @Override
    public String getNode() {
        return node;
    }

    @Override
    public double getUptimeSeconds() {
        return now().uptimeMillis() / 1e3;
    }

    @Override
    public long getNumberOfSubscriptions() {
        return count(Counter.SUBSCRIPTIONS);
    }

    @Override
    public long getCachedMessages() {
        return count(Counter.CACHED_MESSAGES);
    }

    @Override
    public long getCachedMessagesCopied() {
        return count(Counter.CACHED_MESSAGES_COPIED);
    }

    @Override
    public long getCachedMessagesEarly() {
        return count(Counter.CACHED_MESSAGES_EARLY);
    }

    @Override
    public long getCacheBytes() {
        return count(Counter.CACHE_BYTES);
    }

    @Override
    public long getDetachedSessions() {
        return count(Counter.DETACHED_SESSIONS);
    }

    @Override
    public long getDroppedMessages() {
        return count(Counter.MESSAGES_DROPPED);
    }

    @Override
    public long getConflatedMessages() {
        return count(Counter.MESSAGES_CONFLATED);
    }

    @Override
    public long getRecoveriesComplete() {
        return count(Counter.RECOVERIES_COMPLETE);
    }

    @Override
    public long getRecoveriesWithGap() {
        return count(Counter.RECOVERIES_WITH_GAP);
    }

    @Override
    public long getPublishesRefused() {
        return count(Counter.PUBLISHES_REFUSED);
    }

    @Override
    public long getClusterLag() {
        return count(Counter.CLUSTER_LAG);
    }

    @Override
    public long getClusterStaleMillis() {
        return count(Counter.CLUSTER_STALE_MILLIS);
    }

    @Override
    public long getClusterDuplicatesDropped() {
        return count(Counter.CLUSTER_DUPLICATES);
    }

    @Override
    public long getClusterPublishesUnknown() {
        return count(Counter.CLUSTER_PUBLISHES_UNKNOWN);
    }

    @Override
    public long getClusterProducerRestarts() {
        return count(Counter.CLUSTER_PRODUCER_RESTARTS);
    }

    @Override
    public long getLatencyP50Micros() {
        return now().latency().p50Micros();
    }

    @Override
    public long getLatencyP90Micros() {
        return now().latency().p90Micros();
    }

    @Override
    public long getLatencyP99Micros() {
        return now().latency().p99Micros();
    }

    @Override
    public long getLatencyP999Micros() {
        return now().latency().p999Micros();
    }

    @Override
    public long getLatencyMaxMicros() {
        return now().latency().maxMicros();
    }

    @Override
    public long getLatencySinceStartP50Micros() {
        return now().latencySinceStart().p50Micros();
    }

    @Override
    public long getLatencySinceStartP99Micros() {
        return now().latencySinceStart().p99Micros();
    }

    @Override
    public long getLatencySinceStartP999Micros() {
        return now().latencySinceStart().p999Micros();
    }

    @Override
    public long getLatencySinceStartMaxMicros() {
        return now().latencySinceStart().maxMicros();
    }

    @Override
    public long getEventLoopLagMaxMicros() {
        return now().loopLagMaxMicros();
    }

    @Override
    public Map<String, Long> getRefusalsByCode() {
        return byCode(now().counts().refusals());
    }

    @Override
    public Map<String, Long> getClosesByCode() {
        return byCode(now().counts().closes());
    }

    @Override
    public Map<String, Long> getDroppedMessagesByCode() {
        return byCode(now().counts().drops());
    }

    @Override
    public Map<String, Long> getConflatedMessagesByCode() {
        return byCode(now().counts().conflations());
    }

    @Override
    Tally tally() {
        return now().tally();
    }

    @Override
    Rates rates() {
        return now().rates();
    }

    private Snapshot now() {
        return sampler.latest();
    }

    private static Map<String, Long> byCode(Map<Code, Long> counts) {
        Map<String, Long> byText = new TreeMap<>();
        for (Code code : Code.values()) {
            byText.put(code.text(), counts.getOrDefault(code, 0L));
        }
        return byText;
    }

    @Override
    public List<String> getRaisedAlerts() {
        return alerts.get().stream().map(Alert::sentence).toList();
    }
}
