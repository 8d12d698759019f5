package io.belfry.server.counter;

/**
 * Every number that a loop counts. A {@link Kind#COUNT} only grows; a {@link Kind#LEVEL} rises and falls and is the loop's
 * share of a server-wide level. Both kinds are summed over the loops.
 */
public enum Counter {
    SESSIONS_OPENED(Kind.COUNT, "sessions", "sessions opened"),
    SESSIONS_CLOSED(Kind.COUNT, "sessions", "sessions closed, for any reason"),
    SESSIONS_RESUMED(Kind.COUNT, "sessions", "kept sessions that a new connection continued"),
    SESSIONS_NOT_RESUMED(
            Kind.COUNT, "sessions", "requests to continue a session that was not kept any more, or never was"),
    DETACHED_SESSIONS(Kind.LEVEL, "sessions", "sessions kept without a connection"),
    DETACHED_BYTES(Kind.LEVEL, "bytes", "estimated memory of sessions kept without a connection"),
    DETACHED_SESSIONS_ENDED(
            Kind.COUNT, "sessions", "sessions kept without a connection that ended before their client returned"),
    CLIENT_NAMES(Kind.LEVEL, "names", "names of connected clients"),
    USERS(Kind.LEVEL, "users", "users with a session on this node"),
    PRESENCE_SUBJECTS(Kind.LEVEL, "subjects", "subjects with members whose presence is published"),
    PRESENCE_MEMBERS(
            Kind.LEVEL, "members", "members of subjects whose presence is published, each counted per subject"),
    PRESENCE_MESSAGES(Kind.COUNT, "messages", "messages published to presence subjects"),
    PRESENCE_LISTS_ENDED(
            Kind.COUNT,
            "lists",
            "lists of members replaced by counts, because Presence.MaxMembers or MaxMessageSize was reached"),
    CONNECTIONS_ACCEPTED(Kind.COUNT, "connections", "connections accepted by a listener"),
    CONNECTIONS_CLOSED(Kind.COUNT, "connections", "accepted connections closed again"),
    TLS_HANDSHAKES(Kind.COUNT, "handshakes", "TLS handshakes completed"),
    TLS_HANDSHAKES_FAILED(Kind.COUNT, "handshakes", "TLS handshakes that failed, except by timeout"),
    PUBLISHES_IN(Kind.COUNT, "messages", "publish commands received, refused ones included"),
    PUBLISHES_REFUSED(Kind.COUNT, "messages", "publish commands answered with an error"),
    PUBLISHES_DUPLICATE(Kind.COUNT, "messages", "publish commands not delivered again because their msgId was known"),
    MESSAGES_OUT(Kind.COUNT, "messages", "messages handed to sessions' sockets"),
    MESSAGES_COMPRESSED(Kind.COUNT, "messages", "messages compressed, each counted once per loop and encoding"),
    COMPRESSION_SAVED_BYTES(
            Kind.COUNT, "bytes", "bytes saved by compression, each message counted once per loop and encoding"),
    DELTAS_MADE(Kind.COUNT, "messages", "messages of which a delta was made, each counted once per loop"),
    DELTAS_OUT(Kind.COUNT, "messages", "messages delivered as deltas"),
    DELTA_SAVED_BYTES(
            Kind.COUNT, "bytes", "bytes of data saved by deltas, counted per delivery, before framing and compression"),
    DELTA_BASE_BYTES(Kind.LEVEL, "bytes", "bytes of the messages that deltas are made from"),
    DELTA_BASES_REFUSED(
            Kind.COUNT, "messages", "messages after which no delta is made because Limit.DeltaBytes was reached"),
    BYTES_IN(Kind.COUNT, "bytes", "bytes read from clients' sockets"),
    BYTES_OUT(Kind.COUNT, "bytes", "bytes handed to clients' sockets"),
    WRITES_OUT(
            Kind.COUNT, "writes", "write calls to clients' sockets; messages per write shows how well batching works"),
    SUBJECTS(Kind.LEVEL, "subjects", "subjects the owning lanes know"),
    SUBSCRIPTIONS(Kind.LEVEL, "subscriptions", "subscriptions of live sessions, wildcard ones included"),
    CACHED_MESSAGES(Kind.LEVEL, "messages", "messages in history"),
    CACHE_BYTES(Kind.LEVEL, "bytes", "bytes of history, in memory or on disk"),
    CACHED_MESSAGES_COPIED(Kind.COUNT, "messages", "messages in history copied so that their segment could be freed"),
    CACHED_MESSAGES_EARLY(
            Kind.COUNT,
            "messages",
            "messages evicted from history by CacheMemory or History.DiskBytes, before CacheSize or CacheExpireTime"
                    + " applied"),
    MESSAGE_IDS_FORGOTTEN(
            Kind.COUNT, "ids", "message ids forgotten because of Limit.MessageIds before their messages were removed"),
    HISTORY_BATCHES(Kind.COUNT, "batches", "batches of messages written to the history on disk"),
    HISTORY_WRITTEN_BYTES(Kind.COUNT, "bytes", "bytes written to the history on disk"),
    HISTORY_WRITE_MICROS(
            Kind.COUNT, "microseconds", "total history batch write time; divide by the number of batches for the mean"),
    HISTORY_WAITING_BYTES(
            Kind.LEVEL, "bytes", "bytes of published messages that are not stored in the history on disk yet"),
    HISTORY_FAILURES(Kind.COUNT, "failures", "batches of messages that could not be written to the history on disk"),
    HISTORY_FAILING(
            Kind.LEVEL, "loops", "event loops that refuse publishes now because history cannot be written to disk"),
    RETAINED_MESSAGES(Kind.LEVEL, "messages", "subjects with a retained message"),
    RETAINED_BYTES(Kind.LEVEL, "bytes", "bytes of retained messages"),
    QUEUED_BYTES(Kind.LEVEL, "bytes", "bytes accepted for sessions whose sockets are not writable"),
    HELD_SESSIONS(Kind.LEVEL, "sessions", "sessions whose messages are held back for MaxBatchingTime"),
    BATCHES_FULL(Kind.COUNT, "batches", "batches sent before MaxBatchingTime because MaxBatchingSpace was reached"),
    WRITES_DEFERRED(
            Kind.COUNT,
            "sessions",
            "writes to sessions left to a later turn because the time for writes in a turn was over"),
    LARGE_FANOUTS(
            Kind.COUNT,
            "messages",
            "messages to more than 16,384 sessions of one event loop, or 4,096 by pattern, recorded for them in slices over several turns"),
    SOCKET_EVENTS_DEFERRED(
            Kind.COUNT,
            "sockets",
            "sockets whose events were left to a later turn because the time for events in a turn was over"),
    WORK_DEFERRED(
            Kind.COUNT,
            "turns",
            "turns that left the rest of long work, such as a drain, to the next turn because its time was over"),
    LOOPS_JOINED(Kind.COUNT, "changes", "changes after which one thread runs all event loops, which have little to do"),
    LOOPS_DIVIDED(Kind.COUNT, "changes", "changes after which each event loop has its own thread again"),
    SLOW_SESSIONS(Kind.LEVEL, "sessions", "sessions that lag behind their subjects now"),
    MESSAGES_DROPPED(Kind.COUNT, "messages", "messages not delivered to a session, each announced with a gap"),
    MESSAGES_EXPIRED(
            Kind.COUNT,
            "messages",
            "stored messages not delivered to a session because their time to live had ended, each announced with a gap"),
    MESSAGES_CONFLATED(Kind.COUNT, "messages", "messages replaced by a later one of their subject before delivery"),
    CONFLATE_OVERFLOWS(
            Kind.COUNT,
            "messages",
            "messages delivered as published despite conflate on their pattern, because of Limit.ConflatedSubjects"),
    RECOVERIES_COMPLETE(Kind.COUNT, "recoveries", "resumed subscriptions that missed nothing"),
    RECOVERIES_WITH_GAP(Kind.COUNT, "recoveries", "resumed subscriptions that received a gap"),
    PATTERN_RECORDS_READ(
            Kind.COUNT, "messages", "stored messages visited to resume patterns, whether they matched or not"),
    ANSWER_BYTES(
            Kind.LEVEL, "bytes", "bytes of files and history answers that are being made or are unread by clients"),
    INCOMPLETE_BYTES(Kind.LEVEL, "bytes", "bytes held for incomplete requests and messages of clients"),
    INBOX_BYTES(Kind.LEVEL, "bytes", "bytes handed to an event loop by others and not yet processed"),
    LOOP_CALLS(
            Kind.COUNT,
            "calls",
            "calls that event loops passed to each other, such as a publish, its delivery and its answer"),
    LOOP_BATCHES(
            Kind.COUNT,
            "batches",
            "batches of calls that event loops passed to each other; each can wake another loop"),
    PUBLISH_PAUSES(
            Kind.COUNT,
            "pauses",
            "times that reading from a publisher paused because of Limit.InboxBytes or Limit.HistoryUnsyncedBytes"),
    PIPELINE_PAUSES(
            Kind.COUNT, "pauses", "times that reading from a connection paused because of Limit.PipelinedBytes"),
    INFLATE_PAUSES(Kind.COUNT, "pauses", "times that reading from a connection paused because of Limit.InflateRate"),
    PING_INTERVALS_CLAMPED(
            Kind.COUNT,
            "requests",
            "requests for a ping interval that were shortened or lengthened by PingInterval.Min or PingInterval.Max"),
    SESSIONS_WITH_OWN_PING(Kind.LEVEL, "sessions", "sessions with a ping interval that their clients requested"),
    REFUSED_AT_ONCE(
            Kind.COUNT,
            "connections",
            "refused connections closed at once, perhaps before they read the reason, because of Limit.RefusedWaiting"),
    ADDRESSES_FORGOTTEN(
            Kind.COUNT, "addresses", "addresses whose rate use was forgotten because of Limit.RememberedAddresses"),
    DECISIONS_WAITING(Kind.LEVEL, "decisions", "clients that wait for a decision of the entitlement provider"),
    DECISIONS_IGNORED(
            Kind.COUNT, "answers", "decisions of the entitlement provider ignored because they were late or repeated"),
    DECISION_REQUESTS(Kind.COUNT, "requests", "requests to the application for a decision, Entitlement = Http"),
    DECISION_FAILURES(
            Kind.COUNT, "requests", "requests to the application for a decision that got no usable answer in time"),
    DECISIONS_CACHED(Kind.COUNT, "decisions", "decisions of the application taken from the cache"),
    DECISIONS_REFUSED(
            Kind.COUNT,
            "decisions",
            "clients and commands refused because Decide.Waiting or Decide.WaitingBytes was reached"),
    EVENTS_WAITING(Kind.LEVEL, "events", "events that wait for their delivery to the application"),
    EVENTS_DELIVERED(
            Kind.COUNT,
            "events",
            "events that a receiver accepted: an endpoint of the application, the subject /$events or the topic"),
    EVENTS_MISSED(
            Kind.COUNT,
            "events",
            "events dropped because Events.Waiting or Events.WaitingBytes was reached for a receiver, or because the"
                    + " receiver switched events off"),
    SUBJECTS_VACATED_EARLY(
            Kind.COUNT,
            "subjects",
            "subjects reported as vacated before Events.VacantTime, because Events.VacantSubjects of them waited"),
    EVENT_REQUESTS(Kind.COUNT, "requests", "batches of events sent to the application, repeated ones included"),
    EVENT_FAILURES(Kind.COUNT, "requests", "batches of events that a receiver did not accept; they are repeated"),
    KEY_FAILURES(Kind.COUNT, "failures", "failed reads of token keys; the previous keys stay valid"),
    CLUSTER_READ(Kind.COUNT, "messages", "messages read from the cluster's log, those of this node included"),
    CLUSTER_DUPLICATES(
            Kind.COUNT, "messages", "messages of the cluster's log skipped as duplicates, the same ones on every node"),
    CLUSTER_MALFORMED(
            Kind.COUNT,
            "messages",
            "messages of Kafka topics skipped because they have no valid subject or exceed MaxMessageSize"),
    CLUSTER_HEADERS_OMITTED(
            Kind.COUNT, "headers", "headers of Kafka records omitted because they break a rule or a limit of headers"),
    CLUSTER_MISPLACED(
            Kind.COUNT,
            "messages",
            "messages of Kafka topics skipped because they are not in the partition of their key"),
    CLUSTER_PUBLISHES_UNKNOWN(Kind.COUNT, "messages", "publish commands whose outcome in the cluster's log is unknown"),
    CLUSTER_PRODUCER_RESTARTS(
            Kind.COUNT, "restarts", "restarts of the Kafka producer after a message of unknown outcome"),
    CLUSTER_RETAINED_UNSTORED(
            Kind.LEVEL, "subjects", "subjects whose retained message is not stored in Kafka.RetainedTopic yet"),
    CLUSTER_RETAINED_MADE_UP(
            Kind.COUNT,
            "messages",
            "retained messages written to Kafka.RetainedTopic again, or on behalf of a failed node"),
    CLUSTER_LAG(Kind.LEVEL, "messages", "messages of the cluster's log that this node has not read yet"),
    CLUSTER_STALE(Kind.LEVEL, "nodes", "1 while this node is cut off from the cluster's log or lags behind it"),
    CLUSTER_STALE_MILLIS(Kind.COUNT, "milliseconds", "total time during which this node was stale"),
    CLUSTER_QUIET_SUBJECTS(Kind.LEVEL, "subjects", "idle subjects whose last position this node remembers"),
    CLUSTER_QUIET_SUBJECTS_GIVEN_UP(
            Kind.COUNT, "subjects", "idle subjects whose last position was forgotten because of Kafka.QuietSubjects"),
    CLUSTER_WATCHED_SUBJECTS(
            Kind.LEVEL,
            "subjects",
            "subjects watched by publishers of this node, for which other nodes report subscribers"),
    CLUSTER_WATCHES_LEFT_OUT(
            Kind.COUNT,
            "subjects",
            "watched subjects for which other nodes report no subscribers, because of Kafka.WatchedSubjects"),
    CLUSTER_LEADS_PRESENCE(Kind.LEVEL, "nodes", "1 while this node publishes the members of the subjects of all nodes"),
    CLUSTER_MEMBERS_REPORTED(
            Kind.LEVEL,
            "members",
            "members of subjects that this node reports to the cluster, each counted per subject"),
    CLUSTER_MEMBERS_LEFT_OUT(
            Kind.COUNT, "sessions", "sessions that are not counted as members because of Kafka.PresenceMembers"),
    STALE_NOTICES(Kind.COUNT, "notices", "notices sent to sessions that this node became stale or is no longer stale"),
    API_REQUESTS(Kind.COUNT, "requests", "requests of the server API, refused ones included"),
    API_REFUSED(Kind.COUNT, "requests", "requests of the server API answered with an error"),
    REVOCATIONS(Kind.LEVEL, "revocations", "revocations of tokens in the list of the server API"),
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
