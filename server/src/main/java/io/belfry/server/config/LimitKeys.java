package io.belfry.server.config;

import io.belfry.protocol.MessageHeaders;
import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about limits; {@code ConfigKey} lists them. Immutable. */
final class LimitKeys {
    static final TopicKey LIMIT_CONNECTIONS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.Connections",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Maximum number of connections; further ones are refused with `too-many-connections`. 0 means the"
                    + " number of files that the process may have open.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_CONNECTIONS_PER_ADDRESS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.ConnectionsPerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "65536",
            "Maximum number of connections from one IP address; further ones are refused with"
                    + " `too-many-from-address`, 0 is no limit. The default is the number of ports of an address, so"
                    + " that load tests from a few addresses pass. Lower it on the open internet, but allow for users"
                    + " behind one NAT.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_CONNECT_RATE = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.ConnectRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "200000",
            "Maximum number of new connections per second; further ones are refused with `connect-rate`, 0 is"
                    + " no limit. The default is twice the rate of the published churn test.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_CONNECT_RATE_PER_ADDRESS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.ConnectRatePerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Maximum number of new connections per second from one address; further ones are refused with"
                    + " `address-connect-rate`, 0 is no limit. Off by default because load tests and proxies use few"
                    + " addresses; 100 suits the open internet.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_UNKNOWN_PER_ADDRESS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.UnknownPerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "10000",
            "Maximum number of connections from one address that have completed neither a handshake nor an"
                    + " authorized request; further ones are refused with `too-many-unknown`, 0 is no limit. The default"
                    + " is one second of a fast ramp from one address.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_FAILED_TOKENS_PER_ADDRESS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.FailedTokensPerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "300",
            "Maximum number of rejected tokens per minute from one address, 0 is no limit. Over it the server"
                    + " checks only tokens that it recently accepted from that address, and answers others with"
                    + " `token-rate`.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_REQUEST_RATE = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.RequestRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "10000",
            "Maximum number of HTTP requests per second on one connection; a further one ends it with"
                    + " `request-rate`, 0 is no limit.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_COMMAND_RATE = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.CommandRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "10000",
            "Maximum number of commands per second of one session, publishes excepted; further ones are"
                    + " refused with `command-rate`, 0 is no limit. A command with several subjects counts once per"
                    + " subject.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_COMMAND_RATE_PER_USER = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.CommandRatePerUser",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Maximum number of commands per second, publishes excepted, of all sessions of one user on this node; further ones are"
                    + " refused with `command-rate`, 0 is no limit. Clients without a user are not limited.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_SUBJECTS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.Subjects",
            ValueType.numberOr("memory", 1, Integer.MAX_VALUE),
            "memory",
            "Maximum number of subjects that the server holds because of history, retained messages or"
                    + " subscriptions. A publish or subscription that would add one is refused with `subjects-full`. A"
                    + " subject counts again on each other event loop that follows it. `memory` allows one per KB of"
                    + " `Memory`, twice what a subject with a long name takes.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_MESSAGE_IDS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.MessageIds",
            ValueType.numberOr("memory", 1, Integer.MAX_VALUE),
            "memory",
            "Maximum number of message ids that `History = disk` keeps in memory, shared evenly among the event"
                    + " loops. Beyond it the oldest ids are forgotten and counted: a later repeat of such a `msgId` is a new"
                    + " message. Each takes at most 22 bytes of heap; `memory` allows one per 64 bytes of `Memory`.");

    static final TopicKey LIMIT_DELTA_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.DeltaBytes",
            ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE),
            "64 MB",
            "Maximum number of bytes of the messages that deltas are made from, divided among the event loops: the"
                    + " latest message of each subject with a subscription that asks for deltas. Beyond it messages of"
                    + " further subjects are sent whole, and counted.");

    static final TopicKey LIMIT_DETACHED_SESSIONS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.DetachedSessions",
            ValueType.number(0, Integer.MAX_VALUE),
            "100000",
            "Maximum number of sessions that are kept without a connection, divided among the event loops. Beyond it"
                    + " the session that lost its connection first ends. As many inboxes stay without a subscriber.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_DETACHED_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.DetachedBytes",
            ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE),
            "64 MB",
            "Maximum estimated memory of sessions that are kept without a connection, 400 bytes per session and 200 per"
                    + " subject, divided among the event loops. Beyond it the session that lost its connection first"
                    + " ends.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_CLIENT_NAMES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.ClientNames",
            ValueType.number(1, Integer.MAX_VALUE),
            "100000",
            "Maximum number of names of clients, divided among the event loops, each of which has the names of one part"
                    + " of the hashes. A `connect` with one more name is refused with `client-names-full`.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_SESSIONS_PER_USER = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.SessionsPerUser",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Maximum number of sessions of one user on this node: of WebSockets and streams, not of single calls. Clients"
                    + " without a user are not limited. 0 is no limit.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_SESSIONS_PER_USER_POLICY = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.SessionsPerUser.Policy",
            ValueType.choice("close-oldest", "refuse"),
            "close-oldest",
            "Session that ends when a user has more than `Limit.SessionsPerUser`: with `close-oldest` the oldest session is"
                    + " closed with `user-replaced`; with `refuse` the new one is refused with `too-many-of-user`.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_PATTERNS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.Patterns",
            ValueType.numberOr("memory", 0, Integer.MAX_VALUE),
            "memory",
            "Maximum number of pattern subscriptions of all sessions together; further ones are refused with"
                    + " `patterns-full`. `memory` allows one per 8 KB of `Memory`.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_PATTERNS_PER_SESSION = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.PatternsPerSession",
            ValueType.number(0, Integer.MAX_VALUE),
            "100",
            "Maximum number of pattern subscriptions of one session; further ones are refused with"
                    + " `too-many-patterns`, 0 is no limit. They count towards `Limit.SubjectsPerSession` too.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_SUBJECTS_PER_SESSION = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.SubjectsPerSession",
            ValueType.number(0, Integer.MAX_VALUE),
            "1000",
            "Maximum number of subscriptions of one session; further ones are refused with"
                    + " `too-many-subjects`, 0 is no limit. The published load tests use one per client.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_CONFLATED_SUBJECTS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.ConflatedSubjects",
            ValueType.number(0, Integer.MAX_VALUE),
            "100000",
            "Maximum number of subjects that pattern subscriptions with `conflate` conflate at the same time,"
                    + " spread evenly over the event loops. Messages of further subjects are delivered as published, and"
                    + " counted.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_PUBLISH_RATE = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.PublishRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "100000",
            "Maximum number of messages per second that one session publishes; further ones are refused with"
                    + " `publish-rate`, 0 is no limit. The default is four times the rate of a publisher of the"
                    + " published load tests.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_PUBLISH_RATE_PER_ADDRESS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.PublishRatePerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Maximum number of messages per second that all sessions of one address publish; further ones are"
                    + " refused with `address-publish-rate`, 0 is no limit. Off by default because publishers are"
                    + " usually few and trusted.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_PUBLISH_RATE_PER_USER = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.PublishRatePerUser",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Maximum number of messages per second that all sessions and calls of one user publish on this node; further ones are"
                    + " refused with `user-publish-rate`, 0 is no limit. Clients without a user are not limited.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_RETAINED_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.RetainedBytes",
            ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE),
            "64 MB",
            "Maximum number of bytes of all retained messages; a retained publish over it is refused with"
                    + " `retained-full`. 0 retains nothing.");

    static final TopicKey LIMIT_HEADERS = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.Headers",
            ValueType.number(0, MessageHeaders.COUNT_MAX),
            "16",
            "Maximum number of headers of a message; a publish with more is refused with `bad-headers`. 0 allows none.");

    static final TopicKey LIMIT_HEADER_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.HeaderBytes",
            ValueType.size(SizeUnit.B, 0, MessageHeaders.BYTES_MAX),
            "4 KB",
            "Maximum number of bytes of a message's headers: of their names and values, with 3 bytes more for each"
                    + " header. A publish over it is refused with `bad-headers`. `MaxMessageSize` includes these bytes.");

    static final TopicKey LIMIT_INFLATE_RATIO = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.InflateRatio",
            ValueType.number(0, CompressionConfig.MAX_RATIO),
            "0",
            "Maximum ratio of a compressed message's inflated size to its compressed size, with `Compression`."
                    + " Up to 16 KB any ratio is allowed; a larger message over it ends the session with"
                    + " `inflate-ratio`. 0 is no limit: honest data with equal rows shrinks to less than a hundredth, so"
                    + " `MaxMessageSize` and `Limit.InflateRate` limit bombs instead.");

    static final TopicKey LIMIT_INFLATE_RATE = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.InflateRate",
            ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE),
            "8 MB",
            "Maximum number of bytes per second to which one session's compressed messages inflate, with"
                    + " `Compression`; a tenth of it may arrive at once. Over it the server stops reading from the"
                    + " session until the rate falls; nothing is lost or refused. Never less than `MaxMessageSize`; 0 is"
                    + " no limit.");

    static final TopicKey LIMIT_INBOX_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.InboxBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "16 MB",
            "Maximum number of bytes that other event loops have handed to an event loop and that it has not"
                    + " processed yet. Over it the server stops reading from the publishers concerned until the number"
                    + " falls; nothing is lost or refused.");

    static final TopicKey LIMIT_HISTORY_UNSYNCED_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.HistoryUnsyncedBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "16 MB",
            "Maximum number of bytes that an event loop has published and that `History = disk` has not stored"
                    + " yet. Over it the server stops reading from the publishers concerned until the number falls;"
                    + " nothing is lost or refused.");

    static final TopicKey LIMIT_HANDSHAKE_TIME = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.HandshakeTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "5 s",
            "Time that a new connection has for its first complete request, TLS included, and that each later"
                    + " request has from its first byte to its last. After it the connection is closed with"
                    + " `handshake-timeout`.");

    static final TopicKey LIMIT_TLS_HANDSHAKE_RATE = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.TlsHandshakeRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "2000",
            "Maximum number of TLS handshakes started per second; further connections are closed and counted"
                    + " under `tls-rate`, 0 is no limit. A handshake costs about 0.3 ms of CPU with an EC key and 1 ms"
                    + " with RSA.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_TLS_HANDSHAKE_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.TlsHandshakeBytes",
            ValueType.size(SizeUnit.B, TlsConfig.MIN_HANDSHAKE_BYTES, TlsConfig.MAX_HANDSHAKE_BYTES),
            "16 KB",
            "Maximum number of bytes that a client sends before its TLS handshake is complete, its"
                    + " certificates included. More end the connection with `tls-failed`.");

    static final TopicKey LIMIT_HANDSHAKE_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.HandshakeBytes",
            ValueType.size(
                    SizeUnit.B, ConnectionLimitConfig.MIN_HANDSHAKE_BYTES, ConnectionLimitConfig.MAX_HANDSHAKE_BYTES),
            "16 KB",
            "Maximum size of a request's head, the only part that is read before the client is authorized. A"
                    + " larger one is refused with `header-too-large`.");

    static final TopicKey LIMIT_INCOMPLETE_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.IncompleteBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "64 MB",
            "Maximum number of bytes held for incomplete requests and messages of all clients, spread evenly"
                    + " over the event loops. Over it a client that sends another part is closed with `overloaded`. A"
                    + " single incomplete message may always be as large as `MaxMessageSize`.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_ANSWER_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.AnswerBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "32 MB",
            "Maximum number of bytes of unread files and of unread answers to `/history` and `/poll`, for all"
                    + " clients together, spread evenly over the event loops. Over it an answer in progress ends with"
                    + " `truncated`, and a new request is refused with `overloaded`. A single answer is always allowed.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_PIPELINED_BYTES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.PipelinedBytes",
            ValueType.size(SizeUnit.B, HeldLimitConfig.MIN_PIPELINED_BYTES, HeldLimitConfig.MAX_PIPELINED_BYTES),
            "64 KB",
            "Maximum number of bytes of further requests that wait on a connection while one is answered. Over"
                    + " it the server stops reading from the connection until then. Before the client is authorized"
                    + " `Limit.HandshakeBytes` applies.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_REFUSED_WAITING = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.RefusedWaiting",
            ValueType.number(0, Integer.MAX_VALUE),
            "1024",
            "Maximum number of refused connections per event loop that stay open for up to 2 s to read the"
                    + " reason. Further ones are closed at once, and may not receive the answer.",
            Trait.RELOADABLE);

    static final TopicKey LIMIT_REMEMBERED_ADDRESSES = new TopicKey(
            ConfigTopic.LIMITS,
            "Limit.RememberedAddresses",
            ValueType.number(0, Integer.MAX_VALUE),
            "65536",
            "Maximum number of addresses without a connection whose use of each rate the server remembers, at"
                    + " about 150 bytes each. The rates of further addresses start again.",
            Trait.RELOADABLE);

    static final TopicKey PING_INTERVAL = new TopicKey(
            ConfigTopic.LIMITS,
            "PingInterval",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "25 s",
            "Interval at which a silent client is pinged. A client without an answer until the next ping is"
                    + " closed with `ping-timeout`. The same applies to a client that reads nothing of an HTTP answer"
                    + " for two intervals, and to a stream whose client's system acknowledges nothing for two intervals.");

    static final TopicKey PING_INTERVAL_MIN = new TopicKey(
            ConfigTopic.LIMITS,
            "PingInterval.Min",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "10 s",
            "Shortest ping interval that a client may request. A shorter request gets this interval, and is"
                    + " counted. The default is lower if `PingInterval` is lower.");

    static final TopicKey SESSION_DETACHED_TIME = new TopicKey(
            ConfigTopic.LIMITS,
            "Session.DetachedTime",
            ValueType.time(TimeScale.MS, 0, KeptSessionConfig.MAX_MILLIS),
            "60 s",
            "Time for which a session is kept after its connection is lost, if its client asked for that in `connect`, and"
                    + " for which an inbox without a subscriber stays. 0 keeps none.",
            Trait.RELOADABLE);

    static final TopicKey SESSION_CLIENT_NAMES = new TopicKey(
            ConfigTopic.LIMITS,
            "Session.ClientNames",
            ValueType.flag(),
            "false",
            "Whether a client may give its name with `client` in `connect`. The newest connection with a name takes it,"
                    + " and the older one is closed with `client-taken`. Any client that may connect can take any name.",
            Trait.RELOADABLE);

    static final TopicKey PING_INTERVAL_MAX = new TopicKey(
            ConfigTopic.LIMITS,
            "PingInterval.Max",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, PingConfig.MAX_REQUESTED_MILLIS),
            "24 h",
            "Longest ping interval that a client may request. A longer request gets this interval, and is"
                    + " counted. A client that vanished stays connected for up to two of its intervals.");

    private LimitKeys() {}
}
