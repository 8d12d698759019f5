package io.belfry.server.monitor;

import java.util.List;
import java.util.Map;

/** {@code io.belfry:type=Server}: the whole server. Any thread may call it; values are at most a second old. */
public interface ServerMXBean {
    @Figure(unit = "text", value = "The version of this server.")
    String getVersion();

    @Figure(unit = "text", value = "The name of this node, which clients receive in `connected`.")
    String getNode();

    @Figure(unit = "s", value = "Time since the server started.")
    double getUptimeSeconds();

    @Figure(unit = "sessions", value = "Sessions open now.")
    long getConnectedSessions();

    @Figure(unit = "sessions/s", value = "Sessions opened within the last second.")
    double getSessionConnectionsPerSecond();

    @Figure(unit = "sessions/s", value = "Sessions closed within the last second.")
    double getSessionDisconnectionsPerSecond();

    @Figure(unit = "messages/s", value = "Publish commands received within the last second.")
    double getInPublishMessagesPerSecond();

    @Figure(unit = "messages/s", value = "Messages handed to sessions' sockets within the last second.")
    double getOutPublishMessagesPerSecond();

    @Figure(unit = "bytes/s", value = "Bytes read from clients' sockets within the last second.")
    double getInBytesPerSecond();

    @Figure(unit = "bytes/s", value = "Bytes handed to clients' sockets within the last second.")
    double getOutBytesPerSecond();

    @Figure(unit = "subjects", value = "Subjects that the server holds now.")
    long getNumberOfSubjects();

    @Figure(unit = "subscriptions", value = "Subscriptions of live sessions, wildcard ones included.")
    long getNumberOfSubscriptions();

    @Figure(unit = "messages", value = "Messages in history.")
    long getCachedMessages();

    @Figure(
            unit = "messages",
            value = "Messages in history copied since the start so that their segment could be freed.")
    long getCachedMessagesCopied();

    @Figure(
            unit = "messages",
            value =
                    "Messages evicted by CacheMemory or History.DiskBytes since the start, before CacheSize or CacheExpireTime applied.")
    long getCachedMessagesEarly();

    @Figure(unit = "bytes", value = "Bytes of history, in memory or on disk.")
    long getCacheBytes();

    @Figure(unit = "bytes", value = "Bytes accepted for sessions whose sockets are not writable.")
    long getQueuedBytes();

    @Figure(unit = "sessions", value = "Sessions that lag behind their subjects now.")
    long getSlowSessions();

    @Figure(unit = "sessions", value = "Sessions kept without a connection.")
    long getDetachedSessions();

    @Figure(
            unit = "messages",
            value = "Messages not delivered to a session since the start, each announced with a gap.")
    long getDroppedMessages();

    @Figure(
            unit = "messages",
            value = "Messages replaced by a later one of their subject before delivery, since the start.")
    long getConflatedMessages();

    @Figure(unit = "recoveries", value = "Resumed subscriptions that missed nothing, since the start.")
    long getRecoveriesComplete();

    @Figure(unit = "recoveries", value = "Resumed subscriptions that received a gap, since the start.")
    long getRecoveriesWithGap();

    @Figure(unit = "messages", value = "Publish commands answered with an error, since the start.")
    long getPublishesRefused();

    @Figure(
            unit = "us",
            value =
                    "Half of the deliveries of the last minute took at most this long, from publish received to last byte handed to the socket.")
    long getLatencyP50Micros();

    @Figure(unit = "us", value = "90 % of the deliveries of the last minute took at most this long.")
    long getLatencyP90Micros();

    @Figure(unit = "us", value = "99 % of the deliveries of the last minute took at most this long.")
    long getLatencyP99Micros();

    @Figure(unit = "us", value = "99.9 % of the deliveries of the last minute took at most this long.")
    long getLatencyP999Micros();

    @Figure(unit = "us", value = "The slowest delivery of the last minute.")
    long getLatencyMaxMicros();

    @Figure(unit = "us", value = "Half of all deliveries since the start took at most this long.")
    long getLatencySinceStartP50Micros();

    @Figure(unit = "us", value = "99 % of all deliveries since the start took at most this long.")
    long getLatencySinceStartP99Micros();

    @Figure(unit = "us", value = "99.9 % of all deliveries since the start took at most this long.")
    long getLatencySinceStartP999Micros();

    @Figure(unit = "us", value = "The slowest delivery since the start.")
    long getLatencySinceStartMaxMicros();

    @Figure(unit = "us", value = "The latest tick of any event loop within the last minute.")
    long getEventLoopLagMaxMicros();

    @Figure(unit = "messages", value = "Messages of the cluster's log that this node has not read yet.")
    long getClusterLag();

    @Figure(unit = "ms", value = "Total time since the start during which this node was stale.")
    long getClusterStaleMillis();

    @Figure(unit = "messages", value = "Messages of the cluster's log skipped as duplicates, since the start.")
    long getClusterDuplicatesDropped();

    @Figure(
            unit = "messages",
            value = "Publish commands whose outcome in the cluster's log is unknown, since the start.")
    long getClusterPublishesUnknown();

    @Figure(
            unit = "restarts",
            value = "Restarts of the Kafka producer after a message of unknown outcome, since the start.")
    long getClusterProducerRestarts();

    @Figure(unit = "answers", value = "Errors answered since the start, by reason code.")
    Map<String, Long> getRefusalsByCode();

    @Figure(unit = "closes", value = "Connections and sessions closed since the start, by reason code.")
    Map<String, Long> getClosesByCode();

    @Figure(unit = "messages", value = "Messages not delivered to a session since the start, by reason code.")
    Map<String, Long> getDroppedMessagesByCode();

    @Figure(unit = "messages", value = "Messages replaced by a later one since the start, by reason code.")
    Map<String, Long> getConflatedMessagesByCode();

    @Figure(unit = "text", value = "Raised alerts with their reason, the most severe first.")
    List<String> getRaisedAlerts();
}
