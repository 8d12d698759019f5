package io.belfry.server.counter;

/**
 * Every number a loop keeps. A {@link Kind#COUNT} only grows; a {@link Kind#LEVEL} goes up and down and is the loop's
 * share of a server-wide level, so both kinds are summed over the loops.
 */
public enum Counter {
    SESSIONS_OPENED(Kind.COUNT, "sessions", "sessions opened"),
    SESSIONS_CLOSED(Kind.COUNT, "sessions", "sessions closed, for whatever reason"),
    CONNECTIONS_ACCEPTED(Kind.COUNT, "connections", "connections accepted by a listener"),
    CONNECTIONS_CLOSED(Kind.COUNT, "connections", "accepted connections closed again"),
    TLS_HANDSHAKES(Kind.COUNT, "handshakes", "TLS handshakes completed"),
    TLS_HANDSHAKES_FAILED(Kind.COUNT, "handshakes", "TLS handshakes that failed, but not those that took too long"),
    PUBLISHES_IN(Kind.COUNT, "messages", "publish commands received, refused ones included"),
    PUBLISHES_REFUSED(Kind.COUNT, "messages", "publish commands answered with an error"),
    PUBLISHES_DUPLICATE(
            Kind.COUNT, "messages", "publish commands whose msgId was known and that were not delivered again"),
    MESSAGES_OUT(Kind.COUNT, "messages", "messages handed to sessions' sockets"),
    MESSAGES_COMPRESSED(
            Kind.COUNT,
            "messages",
            "messages compressed, each once for all sessions of a loop that speak one encoding"),
    COMPRESSION_SAVED_BYTES(
            Kind.COUNT, "bytes", "bytes by which those messages became smaller, before they were sent to all"),
    BYTES_IN(Kind.COUNT, "bytes", "bytes read from clients' sockets"),
    BYTES_OUT(Kind.COUNT, "bytes", "bytes handed to clients' sockets"),
    WRITES_OUT(
            Kind.COUNT,
            "writes",
            "write calls that handed those bytes over; messages per write tells how well batching works"),
    SUBJECTS(Kind.LEVEL, "subjects", "subjects the owning lanes know"),
    SUBSCRIPTIONS(Kind.LEVEL, "subscriptions", "subscriptions of live sessions, wildcard ones included"),
    CACHED_MESSAGES(Kind.LEVEL, "messages", "messages in history"),
    CACHE_BYTES(Kind.LEVEL, "bytes", "bytes that history takes, in memory or on disk"),
    CACHED_MESSAGES_COPIED(
            Kind.COUNT, "messages", "messages in history copied, so that others in their segment could leave"),
    CACHED_MESSAGES_EARLY(
            Kind.COUNT,
            "messages",
            "messages that left history for CacheMemory or History.DiskBytes, before CacheSize and CacheExpireTime had them"
                    + " leave"),
    HISTORY_BATCHES(Kind.COUNT, "batches", "batches of messages that history wrote to disk"),
    HISTORY_WRITTEN_BYTES(Kind.COUNT, "bytes", "bytes that history wrote to disk"),
    HISTORY_WRITE_MICROS(
            Kind.COUNT, "microseconds", "time that history's batches took to be on disk; by batches it is that of one"),
    HISTORY_WAITING_BYTES(Kind.LEVEL, "bytes", "bytes of published messages that history has not on disk yet"),
    HISTORY_FAILURES(Kind.COUNT, "failures", "batches of messages that history could not write to disk"),
    HISTORY_FAILING(Kind.LEVEL, "loops", "event loops that refuse publishes now because history cannot write to disk"),
    RETAINED_MESSAGES(Kind.LEVEL, "messages", "subjects with a retained message"),
    RETAINED_BYTES(Kind.LEVEL, "bytes", "bytes of retained messages"),
    QUEUED_BYTES(Kind.LEVEL, "bytes", "bytes accepted for sessions whose socket would not take them yet"),
    HELD_SESSIONS(Kind.LEVEL, "sessions", "sessions whose messages wait for more, for MaxBatchingTime"),
    BATCHES_FULL(
            Kind.COUNT,
            "batches",
            "times that messages of a session were sent before MaxBatchingTime, for MaxBatchingSpace"),
    SLOW_SESSIONS(Kind.LEVEL, "sessions", "sessions that lag behind their subjects now"),
    MESSAGES_DROPPED(Kind.COUNT, "messages", "messages not delivered to a session, each announced to it"),
    MESSAGES_CONFLATED(Kind.COUNT, "messages", "messages replaced by a later one of their subject before delivery"),
    CONFLATE_OVERFLOWS(
            Kind.COUNT,
            "messages",
            "messages that came to a session as published, although its pattern asked to conflate, because of"
                    + " Limit.ConflatedSubjects"),
    RECOVERIES_COMPLETE(Kind.COUNT, "recoveries", "resumed subscriptions that missed nothing"),
    RECOVERIES_WITH_GAP(Kind.COUNT, "recoveries", "resumed subscriptions told of a gap"),
    ANSWER_BYTES(
            Kind.LEVEL,
            "bytes",
            "bytes of files and of answers with history that are being made or that their clients have not taken"),
    INCOMPLETE_BYTES(Kind.LEVEL, "bytes", "bytes held of requests and messages of clients that have not come whole"),
    INBOX_BYTES(Kind.LEVEL, "bytes", "bytes handed to this lane by others and not yet processed"),
    PUBLISH_PAUSES(
            Kind.COUNT,
            "pauses",
            "times a publisher was no longer read from because an inbox held more than Limit.InboxBytes or history waited"
                    + " for its disk with more than Limit.HistoryUnsyncedBytes"),
    PIPELINE_PAUSES(
            Kind.COUNT,
            "pauses",
            "times a connection was no longer read from because more than Limit.PipelinedBytes of further requests waited on it"),
    REFUSED_AT_ONCE(
            Kind.COUNT,
            "connections",
            "refused connections closed before they may have read why, because of Limit.RefusedWaiting"),
    ADDRESSES_FORGOTTEN(
            Kind.COUNT,
            "addresses",
            "addresses whose rates begin anew although they had used up some, because of Limit.RememberedAddresses"),
    DECISIONS_WAITING(Kind.LEVEL, "decisions", "clients that wait for the entitlement to decide"),
    DECISIONS_IGNORED(
            Kind.COUNT, "answers", "answers of the entitlement that came late or twice, and were passed over"),
    KEY_FAILURES(
            Kind.COUNT, "failures", "times that keys of tokens could not be read again, so that those before hold"),
    CLUSTER_READ(Kind.COUNT, "messages", "messages read from the cluster's log, those of this node included"),
    CLUSTER_DUPLICATES(
            Kind.COUNT, "messages", "messages of the cluster's log passed over as repetitions, on every node the same"),
    CLUSTER_MALFORMED(
            Kind.COUNT,
            "messages",
            "messages of Kafka's topics passed over: no subject, or larger than MaxMessageSize"),
    CLUSTER_MISPLACED(
            Kind.COUNT,
            "messages",
            "messages of Kafka's topics passed over: not in the partition that their key has by murmur2"),
    CLUSTER_PUBLISHES_UNKNOWN(Kind.COUNT, "messages", "publish commands whose outcome the cluster's log did not tell"),
    CLUSTER_PRODUCER_RESTARTS(
            Kind.COUNT, "restarts", "times the client that publishes was ended for a message of unknown outcome"),
    CLUSTER_RETAINED_UNSTORED(
            Kind.LEVEL,
            "subjects",
            "subjects whose retained message is not in Kafka.RetainedTopic yet, as far as read"),
    CLUSTER_RETAINED_MADE_UP(
            Kind.COUNT,
            "messages",
            "retained messages written to Kafka.RetainedTopic again, or in place of the node that published them"),
    CLUSTER_LAG(Kind.LEVEL, "messages", "messages of the cluster's log that this node has not read yet"),
    CLUSTER_STALE(Kind.LEVEL, "nodes", "1 while this node is cut off from the cluster's log or behind it"),
    CLUSTER_STALE_MILLIS(Kind.COUNT, "milliseconds", "time for which this node was stale"),
    CLUSTER_QUIET_SUBJECTS(
            Kind.LEVEL, "subjects", "subjects without messages here whose latest position is remembered all the same"),
    CLUSTER_QUIET_SUBJECTS_GIVEN_UP(
            Kind.COUNT, "subjects", "subjects whose latest position was given up because of Kafka.QuietSubjects"),
    CLUSTER_WATCHED_SUBJECTS(
            Kind.LEVEL,
            "subjects",
            "subjects that publishers of this node watch, of whose subscribers other nodes tell it"),
    CLUSTER_WATCHES_LEFT_OUT(
            Kind.COUNT,
            "subjects",
            "subjects of whose subscribers on other nodes publishers are not told, because of Kafka.WatchedSubjects"),
    STALE_NOTICES(Kind.COUNT, "notices", "sessions told that this node is stale, or that it is not any more"),
    LOOP_FAILURES(Kind.COUNT, "failures", "unexpected exceptions caught at the end of a loop turn");

    /** Whether a counter only grows or is a level. */
    public enum Kind {
        COUNT,
        LEVEL
    }

    private final Kind kind;
    private final String unit;
    private final String sentence;

    Counter(Kind kind, String unit, String sentence) {
        this.kind = kind;
        this.unit = unit;
        this.sentence = sentence;
    }

    public Kind kind() {
        return kind;
    }

    public String unit() {
        return unit;
    }

    public String sentence() {
        return sentence;
    }
}
