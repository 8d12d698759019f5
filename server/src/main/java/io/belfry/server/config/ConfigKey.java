package io.belfry.server.config;

import io.belfry.settings.Key;
import io.belfry.settings.KeyDefinition;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.util.List;
import java.util.Optional;

/** The keys of the server's configuration, in the order of their documentation. Immutable. */
// Every ValueType is a record of immutable parts, but the checker requires its own annotation on the interface.
@SuppressWarnings("ImmutableEnumChecker")
public enum ConfigKey implements Key {
    LISTEN(
            ConfigTopic.LISTENING,
            "Listen",
            ValueType.list("list of addresses"),
            "*:8800",
            "Addresses that clients connect to, by WebSocket and HTTP: `host:port`, `*:port` or `[ipv6]:port`."
                    + " Port 0 takes any free port; `none` opens no plain listener."),
    LISTEN_ENCRYPTED(
            ConfigTopic.LISTENING,
            "ListenEncrypted",
            ValueType.list("list of addresses"),
            "Addresses that clients connect to with TLS, written as in `Listen`. Needs `Certificate` and"
                    + " `CertificateKey`, or `KeyStore`."),
    ALLOWED_ORIGINS(
            ConfigTopic.LISTENING,
            "AllowedOrigins",
            ValueType.list("* | web | list of origins"),
            "Pages that may connect from a browser: `*` for all, `web` for all of `http` and `https`, or exact"
                    + " origins such as `https://www.example.com`, also beside `web`. `*` includes pages opened from"
                    + " disk or sandboxed (origin `null` or `file://`). Without a value only pages of the server's own"
                    + " origin may connect.",
            Trait.RELOADABLE),
    TRUSTED_PROXIES(
            ConfigTopic.LISTENING,
            "TrustedProxies",
            ValueType.list("list of addresses and ranges"),
            "none",
            "Reverse proxies and load balancers that are trusted to report a client's address: IP addresses,"
                    + " or ranges such as `10.0.0.0/8`. Only their `X-Forwarded-For` and `X-Forwarded-Proto` are used.",
            Trait.RELOADABLE),
    PROXY_PROTOCOL(
            ConfigTopic.LISTENING,
            "ProxyProtocol",
            ValueType.flag(),
            "false",
            "Whether each connection from `TrustedProxies` begins with a PROXY header of version 2 that"
                    + " carries the client's address. A connection without it is closed with `bad-proxy-header`."),
    X_NATIVE_IO(
            ConfigTopic.LISTENING,
            "X.Native.Io",
            ValueType.choice("auto", "true", "false", "io_uring"),
            "auto",
            "Socket implementation: `true` is native epoll, and an error where epoll is not available; `false`"
                    + " is that of the JDK; `auto` uses epoll where it is available. `io_uring` saves CPU but costs"
                    + " latency and memory, and is an error where the kernel refuses it."),

    CERTIFICATE(
            ConfigTopic.TLS,
            "Certificate",
            ValueType.path(),
            "PEM file with the server's certificate, followed by the certificates of its issuers in order. The"
                    + " server checks this file and the other files of this chapter for changes, and applies a change"
                    + " without a restart or a disconnect.",
            Trait.RELOADABLE),
    CERTIFICATE_KEY(
            ConfigTopic.TLS,
            "CertificateKey",
            ValueType.path(),
            "PEM file with the private key of `Certificate`: PKCS #8, or OpenSSL's older RSA and EC forms.",
            Trait.RELOADABLE),
    CERTIFICATE_KEY_PASSWORD(
            ConfigTopic.TLS,
            "CertificateKeyPassword",
            ValueType.text(),
            "Password of `CertificateKey`, if that is encrypted PKCS #8.",
            Trait.SECRET,
            Trait.RELOADABLE),
    KEY_STORE(
            ConfigTopic.TLS,
            "KeyStore",
            ValueType.path(),
            "PKCS #12 file with one private key and its certificates, used instead of `Certificate` and"
                    + " `CertificateKey`. `MonitorJMX.Encryption` uses it too, and reads it at the start only.",
            Trait.RELOADABLE),
    KEY_STORE_PASSWORD(
            ConfigTopic.TLS,
            "KeyStorePassword",
            ValueType.text(),
            "Password of `KeyStore`.",
            Trait.SECRET,
            Trait.RELOADABLE),
    TLS_PROVIDER(
            ConfigTopic.TLS,
            "Tls.Provider",
            ValueType.choice("auto", "openssl", "jdk"),
            "auto",
            "TLS implementation: `openssl` is native code (BoringSSL), and an error where it cannot be loaded;"
                    + " `jdk` is that of the JDK. `auto` uses the native one where it can be loaded."),
    TLS_CLIENT_CERTIFICATES(
            ConfigTopic.TLS,
            "Tls.ClientCertificates",
            ValueType.choice("none", "want", "need"),
            "none",
            "Whether to ask clients for a certificate: `none` does not, `want` accepts clients without one,"
                    + " `need` refuses them. A certificate that `Tls.ClientAuthorities` did not issue ends the"
                    + " connection.",
            Trait.RELOADABLE),
    TLS_CLIENT_AUTHORITIES(
            ConfigTopic.TLS,
            "Tls.ClientAuthorities",
            ValueType.path(),
            "PEM file with the certificates of the authorities whose client certificates are accepted.",
            Trait.RELOADABLE),
    TLS_GROUPS(
            ConfigTopic.TLS,
            "Tls.Groups",
            ValueType.list("list of groups"),
            "X25519, secp256r1, secp384r1",
            "Key exchange groups in order of preference; a client that offers none of them is refused. The"
                    + " default is that of Mozilla's intermediate profile. `secp521r1` is also allowed, and `X448` with"
                    + " `Tls.Provider = jdk`. `MonitorJMX.Encryption` uses the same groups from the start on.",
            Trait.RELOADABLE),
    TLS_CHECK_INTERVAL(
            ConfigTopic.TLS,
            "Tls.CheckInterval",
            ValueType.time(TimeScale.S, TlsConfig.MIN_CHECK_MILLIS, TlsConfig.MAX_CHECK_MILLIS),
            "5 s",
            "Interval at which the files of this chapter are checked for changes; `bin/belfry reload` checks"
                    + " them at once."),

    MEMORY(
            ConfigTopic.MEMORY_AND_THREADS,
            "Memory",
            ValueType.size(SizeUnit.MB, ProcessConfig.MIN_MEMORY_BYTES, Long.MAX_VALUE),
            "512 MB",
            "Heap size that the start script gives to the server; a number without a unit is in MB."),
    WORKGROUPS(
            ConfigTopic.MEMORY_AND_THREADS,
            "Workgroups",
            ValueType.numberOr("processors", 1, WorkgroupConfig.MAX_IO_THREADS),
            "processors",
            "Number of groups into which users are divided by their IP address. Groups run in parallel and"
                    + " share nothing."),
    IO_THREADS(
            ConfigTopic.MEMORY_AND_THREADS,
            "IoThreads",
            ValueType.numberOr("processors", 1, WorkgroupConfig.MAX_IO_THREADS),
            "processors",
            "Total number of event loops, divided among the workgroups. It is at least `Workgroups`; a larger"
                    + " `Workgroups` raises the default."),
    BENCHMARK_MODE(
            ConfigTopic.MEMORY_AND_THREADS,
            "BenchmarkMode",
            ValueType.flag(),
            "false",
            "Whether to spread users evenly over the workgroups instead of by their IP address. Meant for load"
                    + " generators that open all connections from a few addresses."),

    MAX_MESSAGE_SIZE(
            ConfigTopic.MESSAGES,
            "MaxMessageSize",
            ValueType.size(SizeUnit.B, 1, MessageConfig.MAX_MESSAGE_SIZE),
            "64 KB",
            "Maximum size of a message's data; a larger publish is refused with `message-too-large`."),
    BUFFER_LIMIT_SEND(
            ConfigTopic.MESSAGES,
            "BufferLimit.Send",
            ValueType.size(SizeUnit.B, 64, MessageConfig.MAX_BUFFER),
            "8192",
            "Initial size of a send buffer. It grows on demand; this is not a limit."),
    BUFFER_LIMIT_RECEIVE(
            ConfigTopic.MESSAGES,
            "BufferLimit.Receive",
            ValueType.size(SizeUnit.B, 64, MessageConfig.MAX_BUFFER),
            "8192",
            "Initial size of the buffer for a message or body that arrives in parts, or less if a smaller size"
                    + " is announced. It grows on demand; this is not a limit. A message that arrives whole needs no"
                    + " buffer."),
    BUFFER_LIMIT_UNSENT(
            ConfigTopic.MESSAGES,
            "BufferLimit.Unsent",
            ValueType.size(SizeUnit.B, 0, MessageConfig.MAX_BUFFER),
            "128 KB",
            "Maximum number of bytes per connection that the kernel accepts beyond those already sent. A"
                    + " client with more bytes waiting is slow, and is served from the history. `0` leaves the limit to"
                    + " the system (`net.ipv4.tcp_notsent_lowat`), which accepts megabytes. Needs native sockets."),
    MAX_BATCHING_SPACE(
            ConfigTopic.MESSAGES,
            "MaxBatchingSpace",
            ValueType.size(SizeUnit.B, 0, MessageConfig.MAX_BUFFER),
            "0",
            "Number of bytes waiting for one session that end the wait of `MaxBatchingTime` early; 0 means 64"
                    + " KB. It is an error without `MaxBatchingTime`."),
    MAX_BATCHING_TIME(
            ConfigTopic.MESSAGES,
            "MaxBatchingTime",
            ValueType.time(TimeScale.MS, 0, MessageConfig.MAX_BATCHING_MILLIS),
            "0",
            "Time for which messages of one session are held back so that more of them go out in one write."
                    + " The first message after a pause of that length is sent at once. 0 sends messages at the end of"
                    + " the loop turn that produced them."),
    PUB_SUB_TIGHTLY_COUPLED(
            ConfigTopic.MESSAGES,
            "PubSubTightlyCoupled",
            ValueType.flag(),
            "false",
            "Whether to notify publishers that sent `watch` when a subject gains its first subscriber or loses"
                    + " its last one."),
    COMPRESSION(
            ConfigTopic.MESSAGES,
            "Compression",
            ValueType.flag(),
            "off",
            "Whether to use permessage-deflate with WebSocket clients that offer it. The server compresses"
                    + " each message once for all of them, and accepts compressed messages. It costs the event loops CPU."),
    COMPRESSION_MIN_BYTES(
            ConfigTopic.MESSAGES,
            "Compression.MinBytes",
            ValueType.size(SizeUnit.B, 1, MessageConfig.MAX_MESSAGE_SIZE),
            "256",
            "Minimum size of a payload that is compressed. Smaller payloads hardly shrink, and compressing one"
                    + " costs some microseconds."),

    CACHE_SIZE(
            ConfigTopic.HISTORY,
            "CacheSize",
            ValueType.number(0, HistoryConfig.MAX_CACHE_SIZE),
            "1000",
            "Number of messages kept per subject for recovery and history; 0 keeps none."),
    CACHE_EXPIRE_TIME(
            ConfigTopic.HISTORY,
            "CacheExpireTime",
            ValueType.time(TimeScale.S, 0, HistoryConfig.NO_EXPIRY),
            "180 s",
            "Maximum age of a kept message; 0 is no limit, which is the default with `History = disk`."
                    + " `bin/belfry check` prints the window that results from this chapter."),
    CACHE_MEMORY(
            ConfigTopic.HISTORY,
            "CacheMemory",
            ValueType.share(),
            "25 %",
            "Maximum number of bytes that all messages kept in memory take, or a percentage of `Memory`; the"
                    + " oldest are evicted first. `History.DiskBytes` is the limit with `History = disk`."),
    HISTORY(
            ConfigTopic.HISTORY,
            "History",
            ValueType.choice("memory", "disk"),
            "memory",
            "Storage of messages: `memory`, or `disk`, which survives a restart and a kill. With `disk` a"
                    + " publish is acknowledged and delivered when it is on disk as `History.Sync` defines."),
    HISTORY_FOLDER(
            ConfigTopic.HISTORY,
            "History.Folder",
            ValueType.path(),
            "data",
            "Folder for `History = disk`, relative to the folder in which the server is started."),
    HISTORY_SYNC(
            ConfigTopic.HISTORY,
            "History.Sync",
            ValueType.choice("group", "always", "os"),
            "group",
            "Moment at which `History = disk` counts a publish as stored: synced to disk together with its"
                    + " `group`, synced `always` on its own, or written to the `os`. The last survives a kill of the"
                    + " server but not a power failure."),
    HISTORY_DISK_BYTES(
            ConfigTopic.HISTORY,
            "History.DiskBytes",
            ValueType.size(SizeUnit.B, HistoryConfig.MIN_DISK_BYTES, Long.MAX_VALUE),
            "4 GB",
            "Maximum number of bytes that `History = disk` takes, shared evenly among the event loops; the"
                    + " oldest messages are removed first. At least four times `Limit.RetainedBytes`."),

    SLOW_CONSUMER(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer",
            ValueType.choice("disconnect", "conflate", "drop"),
            "disconnect",
            "Policy for a session that reads too slowly: `disconnect` closes it with `slow-consumer`; `drop`"
                    + " skips the oldest messages it missed; `conflate` skips all but the latest message of each"
                    + " subject. `drop` and `conflate` announce what they skip with `gap`.",
            Trait.RELOADABLE),
    SLOW_CONSUMER_SUBJECTS(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer.Subjects",
            ValueType.list("list of pattern and policy"),
            "Policies that replace `SlowConsumer` for some subjects, such as `/prices/** conflate, /orders/** disconnect`;"
                    + " the first pattern that matches a subject applies. A session that lags too far in several"
                    + " subjects is closed if one of them has `disconnect`.",
            Trait.RELOADABLE),
    SLOW_CONSUMER_MAX_BYTES(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer.MaxBytes",
            ValueType.size(SizeUnit.B, 1024, Long.MAX_VALUE),
            "1 MB",
            "Maximum number of bytes by which a session may lag, over all its subjects, before"
                    + " `SlowConsumer.Grace` begins. With `drop` it is also the amount of the latest messages that a"
                    + " lagging session still receives. Not less than `MaxMessageSize`.",
            Trait.RELOADABLE),
    SLOW_CONSUMER_GRACE(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer.Grace",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "30 s",
            "Time for which a session may read nothing, or lag by more than `SlowConsumer.MaxBytes` or beyond"
                    + " the history, before `disconnect` closes it. Messages that leave the history meanwhile are"
                    + " announced with `gap`. With `drop` the session receives no older messages.",
            Trait.RELOADABLE),

    ENTITLEMENT(
            ConfigTopic.ENTITLEMENT,
            "Entitlement",
            ValueType.choice("None", "Basic", "JWT", "Custom"),
            "Basic",
            "Permission check: `None` allows everything; `Basic` lets everyone subscribe, and clients with the"
                    + " token publish; `JWT` takes permissions from each client's signed token; `Custom` asks your own"
                    + " code."),
    ENTITLEMENT_ALLOW_TOKEN(
            ConfigTopic.ENTITLEMENT,
            "EntitlementAllowToken",
            ValueType.text(),
            "Token for publishing under `Entitlement = Basic`, of 8 characters or more. Without it only"
                    + " clients on the server's machine publish, and the server names this key to other clients. Such a"
                    + " client must address the server as 127.0.0.1, [::1] or localhost, or be a page that"
                    + " `AllowedOrigins` names.",
            Trait.SECRET,
            Trait.RELOADABLE),
    ENTITLEMENT_ALLOW_TOKEN_FILE(
            ConfigTopic.ENTITLEMENT,
            "EntitlementAllowTokenFile",
            ValueType.path(),
            "File whose first line is the token, used instead of `EntitlementAllowToken`; read at the start"
                    + " and at each reload.",
            Trait.RELOADABLE),
    ENTITLEMENT_DECIDE_TIME(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.DecideTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "5 s",
            "Time that `JWT` or `Custom` has to decide on a client; after it the client is refused with"
                    + " `decide-timeout`."),
    ENTITLEMENT_WAITING(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.Waiting",
            ValueType.number(1, EntitlementConfig.MAX_WAITING),
            "10000",
            "Maximum number of pending decisions; further clients are refused with `overloaded`."),
    ENTITLEMENT_TOKEN_TIME(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.TokenTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "10 s",
            "Time that a WebSocket client without a token has under `JWT` to send one with `connect`; after it"
                    + " the session is closed with `unauthorized`."),
    ENTITLEMENT_WARN_TIME(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.WarnTime",
            ValueType.time(TimeScale.S, 0, EntitlementConfig.MAX_WARN_MILLIS),
            "60 s",
            "Time before the expiry of a session's token at which the session is sent `token-to-expire`. The"
                    + " notice is never sent before half of the token's remaining time has passed; 0 sends none."),
    ENTITLEMENT_TOKEN_IN_QUERY(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.TokenInQuery",
            ValueType.flag(),
            "false",
            "Whether `/subscribe` and `/poll` also accept the token as the parameter `token`, for a browser's"
                    + " EventSource. Proxies write addresses to their logs, so use tokens that expire soon."),
    ENTITLEMENT_FOLDER(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.Folder",
            ValueType.path(),
            "Folder with the jar of `Entitlement = Custom` and the libraries it needs. Without it the class"
                    + " path is searched."),
    CUSTOM(
            ConfigTopic.ENTITLEMENT,
            "Custom.*",
            ValueType.text(),
            "Settings for the code behind `Entitlement = Custom`, which receives them under the name after"
                    + " `Custom.`.",
            Trait.SECRET,
            Trait.RELOADABLE),
    JWT_SECRET(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Secret",
            ValueType.text(),
            "Secret with which tokens are signed by HMAC, of 32 bytes or more.",
            Trait.SECRET,
            Trait.RELOADABLE),
    JWT_SECRET_FILE(
            ConfigTopic.ENTITLEMENT,
            "Jwt.SecretFile",
            ValueType.path(),
            "File whose first line is the secret, used instead of `Jwt.Secret`; read again when it changes.",
            Trait.RELOADABLE),
    JWT_PUBLIC_KEY(
            ConfigTopic.ENTITLEMENT,
            "Jwt.PublicKey",
            ValueType.path(),
            "PEM file with the public keys or certificates of token issuers: RSA, EC or Ed25519. Read again"
                    + " when it changes.",
            Trait.RELOADABLE),
    JWT_JWKS(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Jwks",
            ValueType.text("file | URL"),
            "JSON web key set: a file, read again when it changes, or an `https` URL, fetched every"
                    + " `Jwt.RefreshTime`. A URL on this machine may use `http`. While the URL cannot be fetched, the"
                    + " previous keys stay valid.",
            Trait.RELOADABLE),
    JWT_REFRESH_TIME(
            ConfigTopic.ENTITLEMENT,
            "Jwt.RefreshTime",
            ValueType.time(TimeScale.S, 1000, Long.MAX_VALUE),
            "300 s",
            "Interval at which the URL of `Jwt.Jwks` is fetched.",
            Trait.RELOADABLE),
    JWT_UNKNOWN_KEY_TIME(
            ConfigTopic.ENTITLEMENT,
            "Jwt.UnknownKeyTime",
            ValueType.time(TimeScale.S, 1000, Long.MAX_VALUE),
            "10 s",
            "Minimum time between two early fetches of the URL of `Jwt.Jwks`. A token that names an unknown"
                    + " key starts such a fetch and waits for it; within this time further ones are refused.",
            Trait.RELOADABLE),
    JWT_ALGORITHM(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Algorithm",
            ValueType.choice(
                    "auto", "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256",
                    "ES384", "ES512", "EdDSA"),
            "auto",
            "Algorithm of a key that does not name one itself. `auto` is HS256 for a secret, RS256 for RSA,"
                    + " the curve's algorithm for EC, and EdDSA for Ed25519. A token with another algorithm than its"
                    + " key's is refused.",
            Trait.RELOADABLE),
    JWT_ISSUER(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Issuer",
            ValueType.text(),
            "Required value of a token's `iss`; without it any issuer is accepted.",
            Trait.RELOADABLE),
    JWT_AUDIENCE(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Audience",
            ValueType.text(),
            "Required value among a token's `aud`; without it any audience is accepted.",
            Trait.RELOADABLE),
    JWT_LEEWAY(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Leeway",
            ValueType.time(TimeScale.S, 0, JwtConfig.MAX_LEEWAY_MILLIS),
            "0",
            "Maximum difference between the clocks of the server and of the token issuer. It delays `exp` and"
                    + " advances `nbf`.",
            Trait.RELOADABLE),
    JWT_REQUIRE_EXPIRY(
            ConfigTopic.ENTITLEMENT,
            "Jwt.RequireExpiry",
            ValueType.flag(),
            "true",
            "Whether to refuse a token without `exp`; such a token never expires.",
            Trait.RELOADABLE),

    LIMIT_CONNECTIONS(
            ConfigTopic.LIMITS,
            "Limit.Connections",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Maximum number of connections; further ones are refused with `too-many-connections`. 0 means the"
                    + " number of files that the process may have open.",
            Trait.RELOADABLE),
    LIMIT_CONNECTIONS_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.ConnectionsPerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "65536",
            "Maximum number of connections from one IP address; further ones are refused with"
                    + " `too-many-from-address`, 0 is no limit. The default is the number of ports of an address, so"
                    + " that load tests from a few addresses pass. Lower it on the open internet, but allow for users"
                    + " behind one NAT.",
            Trait.RELOADABLE),
    LIMIT_CONNECT_RATE(
            ConfigTopic.LIMITS,
            "Limit.ConnectRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "200000",
            "Maximum number of new connections per second; further ones are refused with `connect-rate`, 0 is"
                    + " no limit. The default is twice the rate of the published churn test.",
            Trait.RELOADABLE),
    LIMIT_CONNECT_RATE_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.ConnectRatePerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Maximum number of new connections per second from one address; further ones are refused with"
                    + " `address-connect-rate`, 0 is no limit. Off by default because load tests and proxies use few"
                    + " addresses; 100 suits the open internet.",
            Trait.RELOADABLE),
    LIMIT_UNKNOWN_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.UnknownPerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "10000",
            "Maximum number of connections from one address that have completed neither a handshake nor an"
                    + " authorized request; further ones are refused with `too-many-unknown`, 0 is no limit. The default"
                    + " is one second of a fast ramp from one address.",
            Trait.RELOADABLE),
    LIMIT_FAILED_TOKENS_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.FailedTokensPerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "300",
            "Maximum number of rejected tokens per minute from one address, 0 is no limit. Over it the server"
                    + " checks only tokens that it recently accepted from that address, and answers others with"
                    + " `token-rate`.",
            Trait.RELOADABLE),
    LIMIT_REQUEST_RATE(
            ConfigTopic.LIMITS,
            "Limit.RequestRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "10000",
            "Maximum number of HTTP requests per second on one connection; a further one ends it with"
                    + " `request-rate`, 0 is no limit.",
            Trait.RELOADABLE),
    LIMIT_COMMAND_RATE(
            ConfigTopic.LIMITS,
            "Limit.CommandRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "10000",
            "Maximum number of commands per second of one session, publishes excepted; further ones are"
                    + " refused with `command-rate`, 0 is no limit. A command with several subjects counts once per"
                    + " subject.",
            Trait.RELOADABLE),
    LIMIT_SUBJECTS(
            ConfigTopic.LIMITS,
            "Limit.Subjects",
            ValueType.numberOr("memory", 1, Integer.MAX_VALUE),
            "memory",
            "Maximum number of subjects that the server holds because of history, retained messages or"
                    + " subscriptions. A publish or subscription that would add one is refused with `subjects-full`. A"
                    + " subject counts again on each other event loop that follows it. `memory` allows one per KB of"
                    + " `Memory`, twice what a subject with a long name takes.",
            Trait.RELOADABLE),
    LIMIT_MESSAGE_IDS(
            ConfigTopic.LIMITS,
            "Limit.MessageIds",
            ValueType.numberOr("memory", 1, Integer.MAX_VALUE),
            "memory",
            "Maximum number of message ids that `History = disk` keeps in memory, shared evenly among the event"
                    + " loops. Beyond it the oldest ids are forgotten and counted: a later repeat of such a `msgId` is a new"
                    + " message. Each takes at most 22 bytes of heap; `memory` allows one per 64 bytes of `Memory`."),
    LIMIT_DETACHED_SESSIONS(
            ConfigTopic.LIMITS,
            "Limit.DetachedSessions",
            ValueType.number(0, Integer.MAX_VALUE),
            "100000",
            "Maximum number of sessions that are kept without a connection, divided among the event loops. Beyond it"
                    + " the session that lost its connection first ends.",
            Trait.RELOADABLE),
    LIMIT_DETACHED_BYTES(
            ConfigTopic.LIMITS,
            "Limit.DetachedBytes",
            ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE),
            "64 MB",
            "Maximum estimated memory of sessions that are kept without a connection, 400 bytes per session and 200 per"
                    + " subject, divided among the event loops. Beyond it the session that lost its connection first"
                    + " ends.",
            Trait.RELOADABLE),
    LIMIT_PATTERNS(
            ConfigTopic.LIMITS,
            "Limit.Patterns",
            ValueType.numberOr("memory", 0, Integer.MAX_VALUE),
            "memory",
            "Maximum number of pattern subscriptions of all sessions together; further ones are refused with"
                    + " `patterns-full`. `memory` allows one per 8 KB of `Memory`.",
            Trait.RELOADABLE),
    LIMIT_PATTERNS_PER_SESSION(
            ConfigTopic.LIMITS,
            "Limit.PatternsPerSession",
            ValueType.number(0, Integer.MAX_VALUE),
            "100",
            "Maximum number of pattern subscriptions of one session; further ones are refused with"
                    + " `too-many-patterns`, 0 is no limit. They count towards `Limit.SubjectsPerSession` too.",
            Trait.RELOADABLE),
    LIMIT_SUBJECTS_PER_SESSION(
            ConfigTopic.LIMITS,
            "Limit.SubjectsPerSession",
            ValueType.number(0, Integer.MAX_VALUE),
            "1000",
            "Maximum number of subscriptions of one session; further ones are refused with"
                    + " `too-many-subjects`, 0 is no limit. The published load tests use one per client.",
            Trait.RELOADABLE),
    LIMIT_CONFLATED_SUBJECTS(
            ConfigTopic.LIMITS,
            "Limit.ConflatedSubjects",
            ValueType.number(0, Integer.MAX_VALUE),
            "100000",
            "Maximum number of subjects that pattern subscriptions with `conflate` conflate at the same time,"
                    + " spread evenly over the event loops. Messages of further subjects are delivered as published, and"
                    + " counted.",
            Trait.RELOADABLE),
    LIMIT_PUBLISH_RATE(
            ConfigTopic.LIMITS,
            "Limit.PublishRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "100000",
            "Maximum number of messages per second that one session publishes; further ones are refused with"
                    + " `publish-rate`, 0 is no limit. The default is four times the rate of a publisher of the"
                    + " published load tests.",
            Trait.RELOADABLE),
    LIMIT_PUBLISH_RATE_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.PublishRatePerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Maximum number of messages per second that all sessions of one address publish; further ones are"
                    + " refused with `address-publish-rate`, 0 is no limit. Off by default because publishers are"
                    + " usually few and trusted.",
            Trait.RELOADABLE),
    LIMIT_RETAINED_BYTES(
            ConfigTopic.LIMITS,
            "Limit.RetainedBytes",
            ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE),
            "64 MB",
            "Maximum number of bytes of all retained messages; a retained publish over it is refused with"
                    + " `retained-full`. 0 retains nothing."),
    LIMIT_INFLATE_RATIO(
            ConfigTopic.LIMITS,
            "Limit.InflateRatio",
            ValueType.number(0, CompressionConfig.MAX_RATIO),
            "0",
            "Maximum ratio of a compressed message's inflated size to its compressed size, with `Compression`."
                    + " Up to 16 KB any ratio is allowed; a larger message over it ends the session with"
                    + " `inflate-ratio`. 0 is no limit: honest data with equal rows shrinks to less than a hundredth, so"
                    + " `MaxMessageSize` and `Limit.InflateRate` limit bombs instead."),
    LIMIT_INFLATE_RATE(
            ConfigTopic.LIMITS,
            "Limit.InflateRate",
            ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE),
            "8 MB",
            "Maximum number of bytes per second to which one session's compressed messages inflate, with"
                    + " `Compression`; a tenth of it may arrive at once. Over it the server stops reading from the"
                    + " session until the rate falls; nothing is lost or refused. Never less than `MaxMessageSize`; 0 is"
                    + " no limit."),
    LIMIT_INBOX_BYTES(
            ConfigTopic.LIMITS,
            "Limit.InboxBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "16 MB",
            "Maximum number of bytes that other event loops have handed to an event loop and that it has not"
                    + " processed yet. Over it the server stops reading from the publishers concerned until the number"
                    + " falls; nothing is lost or refused."),
    LIMIT_HISTORY_UNSYNCED_BYTES(
            ConfigTopic.LIMITS,
            "Limit.HistoryUnsyncedBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "16 MB",
            "Maximum number of bytes that an event loop has published and that `History = disk` has not stored"
                    + " yet. Over it the server stops reading from the publishers concerned until the number falls;"
                    + " nothing is lost or refused."),
    LIMIT_HANDSHAKE_TIME(
            ConfigTopic.LIMITS,
            "Limit.HandshakeTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "5 s",
            "Time that a new connection has for its first complete request, TLS included, and that each later"
                    + " request has from its first byte to its last. After it the connection is closed with"
                    + " `handshake-timeout`."),
    LIMIT_TLS_HANDSHAKE_RATE(
            ConfigTopic.LIMITS,
            "Limit.TlsHandshakeRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "2000",
            "Maximum number of TLS handshakes started per second; further connections are closed and counted"
                    + " under `tls-rate`, 0 is no limit. A handshake costs about 0.3 ms of CPU with an EC key and 1 ms"
                    + " with RSA.",
            Trait.RELOADABLE),
    LIMIT_TLS_HANDSHAKE_BYTES(
            ConfigTopic.LIMITS,
            "Limit.TlsHandshakeBytes",
            ValueType.size(SizeUnit.B, TlsConfig.MIN_HANDSHAKE_BYTES, TlsConfig.MAX_HANDSHAKE_BYTES),
            "16 KB",
            "Maximum number of bytes that a client sends before its TLS handshake is complete, its"
                    + " certificates included. More end the connection with `tls-failed`."),
    LIMIT_HANDSHAKE_BYTES(
            ConfigTopic.LIMITS,
            "Limit.HandshakeBytes",
            ValueType.size(
                    SizeUnit.B, ConnectionLimitConfig.MIN_HANDSHAKE_BYTES, ConnectionLimitConfig.MAX_HANDSHAKE_BYTES),
            "16 KB",
            "Maximum size of a request's head, the only part that is read before the client is authorized. A"
                    + " larger one is refused with `header-too-large`."),
    LIMIT_INCOMPLETE_BYTES(
            ConfigTopic.LIMITS,
            "Limit.IncompleteBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "64 MB",
            "Maximum number of bytes held for incomplete requests and messages of all clients, spread evenly"
                    + " over the event loops. Over it a client that sends another part is closed with `overloaded`. A"
                    + " single incomplete message may always be as large as `MaxMessageSize`.",
            Trait.RELOADABLE),
    LIMIT_ANSWER_BYTES(
            ConfigTopic.LIMITS,
            "Limit.AnswerBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "32 MB",
            "Maximum number of bytes of unread files and of unread answers to `/history` and `/poll`, for all"
                    + " clients together, spread evenly over the event loops. Over it an answer in progress ends with"
                    + " `truncated`, and a new request is refused with `overloaded`. A single answer is always allowed.",
            Trait.RELOADABLE),
    LIMIT_PIPELINED_BYTES(
            ConfigTopic.LIMITS,
            "Limit.PipelinedBytes",
            ValueType.size(SizeUnit.B, HeldLimitConfig.MIN_PIPELINED_BYTES, HeldLimitConfig.MAX_PIPELINED_BYTES),
            "64 KB",
            "Maximum number of bytes of further requests that wait on a connection while one is answered. Over"
                    + " it the server stops reading from the connection until then. Before the client is authorized"
                    + " `Limit.HandshakeBytes` applies.",
            Trait.RELOADABLE),
    LIMIT_REFUSED_WAITING(
            ConfigTopic.LIMITS,
            "Limit.RefusedWaiting",
            ValueType.number(0, Integer.MAX_VALUE),
            "1024",
            "Maximum number of refused connections per event loop that stay open for up to 2 s to read the"
                    + " reason. Further ones are closed at once, and may not receive the answer.",
            Trait.RELOADABLE),
    LIMIT_REMEMBERED_ADDRESSES(
            ConfigTopic.LIMITS,
            "Limit.RememberedAddresses",
            ValueType.number(0, Integer.MAX_VALUE),
            "65536",
            "Maximum number of addresses without a connection whose use of each rate the server remembers, at"
                    + " about 150 bytes each. The rates of further addresses start again.",
            Trait.RELOADABLE),
    PING_INTERVAL(
            ConfigTopic.LIMITS,
            "PingInterval",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "25 s",
            "Interval at which a silent client is pinged. A client without an answer until the next ping is"
                    + " closed with `ping-timeout`. The same applies to a client that reads nothing of an HTTP answer"
                    + " for two intervals, and to a stream whose client's system acknowledges nothing for two intervals."),
    PING_INTERVAL_MIN(
            ConfigTopic.LIMITS,
            "PingInterval.Min",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "10 s",
            "Shortest ping interval that a client may request. A shorter request gets this interval, and is"
                    + " counted. The default is lower if `PingInterval` is lower."),
    SESSION_DETACHED_TIME(
            ConfigTopic.LIMITS,
            "Session.DetachedTime",
            ValueType.time(TimeScale.MS, 0, KeptSessionConfig.MAX_MILLIS),
            "60 s",
            "How long a session is kept after its connection is lost, if its client asked for that in `connect`. 0"
                    + " keeps no session.",
            Trait.RELOADABLE),
    PING_INTERVAL_MAX(
            ConfigTopic.LIMITS,
            "PingInterval.Max",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, PingConfig.MAX_REQUESTED_MILLIS),
            "24 h",
            "Longest ping interval that a client may request. A longer request gets this interval, and is"
                    + " counted. A client that vanished stays connected for up to two of its intervals."),

    NODE_NAME(
            ConfigTopic.MONITORING,
            "NodeName",
            ValueType.text(),
            "Name of this node in metrics, in `/stats` and in the event `connected`. The default is the host's"
                    + " name and the port of the first listener, such as `myhost-8800`. It is independent of the"
                    + " commands' `--name`."),
    MONITOR(
            ConfigTopic.MONITORING,
            "Monitor",
            ValueType.list("list of JMX, HTTP | none"),
            "JMX",
            "Interfaces for monitoring: a list of `JMX` and `HTTP`, or `none`."),
    MONITOR_JMX_LISTEN(
            ConfigTopic.MONITORING,
            "MonitorJMX.Listen",
            ValueType.text("address"),
            "127.0.0.1:3000",
            "Address for jconsole and other JMX clients."),
    MONITOR_JMX_AUTHENTICATION(
            ConfigTopic.MONITORING,
            "MonitorJMX.Authentication",
            ValueType.flag(),
            "true",
            "Whether JMX clients need a name and a password. On an address beyond loopback only an explicit"
                    + " `false` switches this off, and each start logs it."),
    MONITOR_JMX_ENCRYPTION(
            ConfigTopic.MONITORING,
            "MonitorJMX.Encryption",
            ValueType.flag(),
            "false",
            "Whether JMX uses TLS, with the key of `KeyStore`."),
    MONITOR_HTTP_LISTEN(
            ConfigTopic.MONITORING,
            "MonitorHTTP.Listen",
            ValueType.text("address"),
            "127.0.0.1:4000",
            "Address that serves `/metrics`, `/stats`, `/health` and the console."),
    MONITOR_HTTP_AUTHENTICATION(
            ConfigTopic.MONITORING,
            "MonitorHTTP.Authentication",
            ValueType.flag(),
            "true",
            "Whether HTTP monitoring needs a name and a password. On an address beyond loopback only an"
                    + " explicit `false` switches this off, and each start logs it."),
    MONITOR_USERNAME(
            ConfigTopic.MONITORING,
            "MonitorUsername",
            ValueType.text(),
            "admin",
            "Name with which monitoring clients log in."),
    MONITOR_PASSWORD(
            ConfigTopic.MONITORING,
            "MonitorPassword",
            ValueType.text(),
            "Password with which monitoring clients log in. If neither this nor `MonitorPasswordFile` is set,"
                    + " the server writes a random one once to a file that only its owner can read, and logs the file's"
                    + " name.",
            Trait.SECRET),
    MONITOR_PASSWORD_FILE(
            ConfigTopic.MONITORING,
            "MonitorPasswordFile",
            ValueType.path(),
            "File whose first line is the password, used instead of `MonitorPassword`."),
    CONSOLE(
            ConfigTopic.MONITORING,
            "Console",
            ValueType.flag(),
            "true",
            "Whether the HTTP monitor serves the console, at `/console/`."),
    CONSOLE_ACT_PASSWORD(
            ConfigTopic.MONITORING,
            "ConsoleActPassword",
            ValueType.text(),
            "Second password of the console. With it a user may also make changes, such as disconnecting a session."
                    + " Without one nobody may.",
            Trait.SECRET),
    CONSOLE_ACT_PASSWORD_FILE(
            ConfigTopic.MONITORING,
            "ConsoleActPasswordFile",
            ValueType.path(),
            "File whose first line is the second password, used instead of `ConsoleActPassword`."),
    OTLP_ENDPOINT(
            ConfigTopic.MONITORING,
            "Otlp.Endpoint",
            ValueType.text("url"),
            "Base URL of an OpenTelemetry receiver (OTLP over HTTP), such as `http://127.0.0.1:4318`. The server"
                    + " sends metrics to `/v1/metrics` and spans to `/v1/traces` below it. Needs the module `otlp`;"
                    + " without a value the server sends nothing. `https` uses the trust store of the JDK."),
    OTLP_INTERVAL(
            ConfigTopic.MONITORING,
            "Otlp.Interval",
            ValueType.time(TimeScale.S, 1000, 3_600_000),
            "60 s",
            "Time between two exports of the metrics."),
    OTLP_HEADERS(
            ConfigTopic.MONITORING,
            "Otlp.headers.*",
            ValueType.text(),
            "Headers of each export, under the name after `Otlp.headers.`, such as `authorization`.",
            Trait.SECRET),
    OTLP_TRACES(
            ConfigTopic.MONITORING,
            "Otlp.Traces",
            ValueType.flag(),
            "true",
            "Whether to record spans: of `/publish`, `/poll` and `/history` calls whose `traceparent` header says that"
                    + " the trace is sampled, and of those in `Otlp.TraceRatio`."),
    OTLP_TRACE_RATIO(
            ConfigTopic.MONITORING,
            "Otlp.TraceRatio",
            ValueType.text("number from 0 to 1"),
            "0",
            "Share of the calls without a valid `traceparent` that begin a trace of their own."),
    OTLP_SPANS_WAITING(
            ConfigTopic.MONITORING,
            "Otlp.SpansWaiting",
            ValueType.number(1, 1_000_000),
            "2048",
            "Maximum number of spans that wait for their export; further ones are dropped and counted. A span"
                    + " takes about 200 bytes of heap."),

    STATS_LOG_INTERVAL(
            ConfigTopic.LOGGING,
            "Stats.LogInterval",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "60 s",
            "Interval at which a line of figures is logged; 0 logs none.",
            Trait.RELOADABLE),
    LOG_FOLDER(
            ConfigTopic.LOGGING,
            "LogFolder",
            ValueType.path(),
            "logs",
            "Folder of the log files, relative to the folder in which the server is started."),
    LOG_LEVEL(
            ConfigTopic.LOGGING,
            "LogLevel",
            ValueType.choice("TRACE", "DEBUG", "INFO", "WARN", "ERROR"),
            "INFO",
            "Lowest level that is logged.",
            Trait.RELOADABLE),
    LOG_ROTATE_LIMIT(
            ConfigTopic.LOGGING,
            "LogRotateLimit",
            ValueType.size(SizeUnit.B, 4096, Long.MAX_VALUE),
            "10 MB",
            "Size at which a log file is closed and a new one started."),
    LOG_ROTATE_FILE_COUNT(
            ConfigTopic.LOGGING, "LogRotateFileCount", ValueType.number(1, 1000), "10", "Number of log files kept."),

    CLUSTER_ENGINE(
            ConfigTopic.CLUSTER,
            "ClusterEngine",
            ValueType.choice("none", "kafka"),
            "none",
            "Log that several nodes share: with `kafka` all nodes with the same `Kafka.Topic` deliver the same"
                    + " messages in the same order; see [cluster.md](cluster.md)."),
    KAFKA_BROKERS(
            ConfigTopic.CLUSTER,
            "Kafka.Brokers",
            ValueType.list("list of addresses"),
            "Addresses of Kafka brokers, `host:port` each. A few are enough; Kafka reports the others."),
    KAFKA_TOPIC(
            ConfigTopic.CLUSTER,
            "Kafka.Topic",
            ValueType.text(),
            "belfry.messages",
            "Topic that carries all messages; created at the first start if it does not exist."),
    KAFKA_RETAINED_TOPIC(
            ConfigTopic.CLUSTER,
            "Kafka.RetainedTopic",
            ValueType.text(),
            "Compacted topic that keeps the retained message of each subject for longer than `Kafka.Topic`"
                    + " does; created at the first start if it does not exist. The default is the name of `Kafka.Topic`"
                    + " with `.retained` appended."),
    KAFKA_BRIDGE(
            ConfigTopic.CLUSTER,
            "Kafka.Bridge",
            ValueType.list("list of topics"),
            "Topics of other programs that are read and written as messages: subject `/T/k` is key `k` of"
                    + " topic `T`. All nodes need the same list, and each topic must exist when a node starts."),
    KAFKA_PARTITIONS(
            ConfigTopic.CLUSTER,
            "Kafka.Partitions",
            ValueType.number(1, KafkaTopicConfig.MAX_PARTITIONS),
            "32",
            "Number of partitions of `Kafka.Topic` and of `Kafka.RetainedTopic`. It cannot be changed later: a"
                    + " start refuses a topic with another number."),
    KAFKA_REPLICATION(
            ConfigTopic.CLUSTER,
            "Kafka.Replication",
            ValueType.number(1, KafkaTopicConfig.MAX_REPLICATION),
            "3",
            "Number of brokers that store each message, if the server creates the topic. With 3 or more, two"
                    + " brokers must store a message before it is acknowledged."),
    KAFKA_START_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.StartTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "60 s",
            "Time that a start waits for Kafka and for reading the topic; after it the start fails."),
    KAFKA_PUBLISH_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.PublishTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "10 s",
            "Time that a publish waits for Kafka before it is refused with `cluster-unreachable`. A publish"
                    + " that Kafka's client has accepted is answered within `Kafka.producer.delivery.timeout.ms`."),
    KAFKA_PUBLISH_BUFFER(
            ConfigTopic.CLUSTER,
            "Kafka.PublishBuffer",
            ValueType.size(SizeUnit.B, 64 << 10, Long.MAX_VALUE),
            "32 MB",
            "Maximum number of bytes of publishes that wait for Kafka, per topic; further ones are refused"
                    + " with `cluster-full`. A publish with `retain` is also refused when the same number of bytes of"
                    + " its event loop waits for `Kafka.RetainedTopic`."),
    KAFKA_REPEAT_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.RepeatTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "60 s",
            "Time within which a message that is published again with the same `msgId`, on any node, is not"
                    + " delivered again. Less than `CacheExpireTime`. Each such message takes about 150 bytes of heap"
                    + " for that time."),
    KAFKA_STALE_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.StaleTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "2 s",
            "Time without Kafka, or behind Kafka's log, after which a node is stale. A stale node fails"
                    + " `/health/ready`, so that load balancers send new clients elsewhere, and notifies its subscribers."),
    KAFKA_RESTART_PAUSE(
            ConfigTopic.CLUSTER,
            "Kafka.RestartPause",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "1 s",
            "Time after a publish of unknown outcome during which no publish is sent to Kafka; waiting"
                    + " publishes are refused."),
    KAFKA_QUIET_SUBJECTS(
            ConfigTopic.CLUSTER,
            "Kafka.QuietSubjects",
            ValueType.number(0, 1_000_000_000),
            "1000000",
            "Maximum number of idle subjects whose last position a node remembers, at about 30 bytes each. A"
                    + " client that resumes from such a position misses nothing; on other idle subjects it receives a"
                    + " gap."),
    KAFKA_WATCHED_SUBJECTS(
            ConfigTopic.CLUSTER,
            "Kafka.WatchedSubjects",
            ValueType.number(0, 10_000_000),
            "100000",
            "Maximum number of subjects for which a node asks the other nodes about subscribers, because its"
                    + " publishers `watch` them. For further subjects publishers learn of this node's subscribers only."
                    + " Each subject takes a few hundred bytes of heap on every node."),
    KAFKA_PRESENCE_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.PresenceTime",
            ValueType.time(TimeScale.S, 3000, Long.MAX_VALUE),
            "10 s",
            "Time of silence after which the subscribers of another node no longer count for"
                    + " `PubSubTightlyCoupled`."),
    KAFKA_CLIENTS(
            ConfigTopic.CLUSTER,
            "Kafka.clients.*",
            ValueType.text(),
            "Settings for all of Kafka's own clients, passed under the name after `Kafka.clients.`, such as"
                    + " `security.protocol` and `sasl.jaas.config`.",
            Trait.SECRET),
    KAFKA_PRODUCER(
            ConfigTopic.CLUSTER,
            "Kafka.producer.*",
            ValueType.text(),
            "Settings for the Kafka client that publishes, such as `linger.ms`. The server refuses settings"
                    + " that would break a guarantee.",
            Trait.SECRET),
    KAFKA_CONSUMER(
            ConfigTopic.CLUSTER,
            "Kafka.consumer.*",
            ValueType.text(),
            "Settings for the Kafka client that reads. The server refuses settings that would break a guarantee.",
            Trait.SECRET),
    KAFKA_ADMIN(
            ConfigTopic.CLUSTER,
            "Kafka.admin.*",
            ValueType.text(),
            "Settings for the Kafka client that creates and inspects the topics.",
            Trait.SECRET),

    DOCUMENT_ROOT(
            ConfigTopic.TRIAL,
            "DocumentRoot",
            ValueType.path(),
            "Folder of static files that are served on the clients' port, for trying things out."),
    X_ECHO(
            ConfigTopic.TRIAL,
            "X.Echo",
            ValueType.flag(),
            "false",
            "Whether to open `/echo`, which returns WebSocket messages and HTTP bodies, for conformance suites.");

    private enum Trait {
        SECRET,
        RELOADABLE
    }

    private final ConfigTopic topic;
    private final KeyDefinition definition;
    private final boolean secret;
    private final boolean reloadable;

    /** Defines a key without a default. The key has no value unless the configuration sets it. */
    ConfigKey(ConfigTopic topic, String keyName, ValueType<?> type, String sentence, Trait... traits) {
        this(topic, keyName, type, Optional.empty(), sentence, List.of(traits));
    }

    ConfigKey(
            ConfigTopic topic,
            String keyName,
            ValueType<?> type,
            String defaultText,
            String sentence,
            Trait... traits) {
        this(topic, keyName, type, Optional.of(defaultText), sentence, List.of(traits));
    }

    ConfigKey(
            ConfigTopic topic,
            String keyName,
            ValueType<?> type,
            Optional<String> defaultText,
            String sentence,
            List<Trait> traits) {
        this.topic = topic;
        this.definition = new KeyDefinition(keyName, type, defaultText, sentence);
        this.secret = traits.contains(Trait.SECRET);
        this.reloadable = traits.contains(Trait.RELOADABLE);
    }

    public ConfigTopic topic() {
        return topic;
    }

    @Override
    public String chapter() {
        return topic.title();
    }

    @Override
    public KeyDefinition definition() {
        return definition;
    }

    @Override
    public boolean secret() {
        return secret;
    }

    @Override
    public boolean reloadable() {
        return reloadable;
    }
}
