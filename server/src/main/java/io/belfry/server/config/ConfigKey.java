package io.belfry.server.config;

import io.belfry.settings.Key;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.util.List;
import java.util.Optional;

/** Every key of the server's configuration, in the order of its documentation. Immutable. */
// Every ValueType is a record of immutable parts; the checker wants an annotation of its own library to believe it.
@SuppressWarnings("ImmutableEnumChecker")
public enum ConfigKey implements Key {
    LISTEN(
            ConfigTopic.LISTENING,
            "Listen",
            ValueType.list("list of addresses"),
            "*:8800",
            "Where clients connect, WebSocket and HTTP alike: `host:port`, `*:port` or `[ipv6]:port`; port 0 takes any"
                    + " free one, `none` opens no plain listener."),
    LISTEN_ENCRYPTED(
            ConfigTopic.LISTENING,
            "ListenEncrypted",
            ValueType.list("list of addresses"),
            "Where clients connect with TLS, written as in `Listen`; needs `Certificate` and `CertificateKey`, or"
                    + " `KeyStore`."),
    ALLOWED_ORIGINS(
            ConfigTopic.LISTENING,
            "AllowedOrigins",
            ValueType.list("* | list of origins"),
            "Which pages may connect from a browser: `*` for all, or exact origins such as `https://www.example.com`;"
                    + " while not set, pages of the server's own origin only.",
            Trait.RELOADABLE),
    TRUSTED_PROXIES(
            ConfigTopic.LISTENING,
            "TrustedProxies",
            ValueType.list("list of addresses and ranges"),
            "none",
            "The reverse proxies and load balancers whose word is taken for where a client comes from: IP addresses, or ranges"
                    + " such as `10.0.0.0/8`. From these `X-Forwarded-For` and `X-Forwarded-Proto` count, from others they are"
                    + " passed over.",
            Trait.RELOADABLE),
    PROXY_PROTOCOL(
            ConfigTopic.LISTENING,
            "ProxyProtocol",
            ValueType.flag(),
            "false",
            "Whether each connection from `TrustedProxies` begins with a PROXY header of version 2, which then says where its"
                    + " client comes from; without such a header it is closed with `bad-proxy-header`."),
    X_NATIVE_IO(
            ConfigTopic.LISTENING,
            "X.Native.Io",
            ValueType.choice("auto", "true", "false", "io_uring"),
            "auto",
            "How sockets are read: `true` is native epoll and an error where that is impossible, `false` is the JDK's"
                    + " own way, `auto` takes epoll where it can; `io_uring` saves CPU, costs latency and memory, and is an"
                    + " error where the kernel refuses it."),

    CERTIFICATE(
            ConfigTopic.TLS,
            "Certificate",
            ValueType.path(),
            "The PEM file with the server's certificate and those that lead to its authority, in this order. This file and"
                    + " the other files of this chapter are looked at again and again, and what changed is taken without a"
                    + " restart and without a disconnect.",
            Trait.RELOADABLE),
    CERTIFICATE_KEY(
            ConfigTopic.TLS,
            "CertificateKey",
            ValueType.path(),
            "The PEM file with the private key of `Certificate`: PKCS #8, or OpenSSL's older RSA and EC forms.",
            Trait.RELOADABLE),
    CERTIFICATE_KEY_PASSWORD(
            ConfigTopic.TLS,
            "CertificateKeyPassword",
            ValueType.text(),
            "The password of `CertificateKey`, where that is encrypted PKCS #8.",
            Trait.SECRET,
            Trait.RELOADABLE),
    KEY_STORE(
            ConfigTopic.TLS,
            "KeyStore",
            ValueType.path(),
            "The PKCS #12 file with one private key and its certificates, instead of `Certificate` and `CertificateKey`; also"
                    + " for `MonitorJMX.Encryption`, which reads it at the start only.",
            Trait.RELOADABLE),
    KEY_STORE_PASSWORD(
            ConfigTopic.TLS,
            "KeyStorePassword",
            ValueType.text(),
            "The password of `KeyStore`.",
            Trait.SECRET,
            Trait.RELOADABLE),
    TLS_PROVIDER(
            ConfigTopic.TLS,
            "Tls.Provider",
            ValueType.choice("auto", "openssl", "jdk"),
            "auto",
            "Who encrypts: `openssl` is native code (BoringSSL) and an error where that cannot be loaded, `jdk` the JDK's"
                    + " own, `auto` takes the native one where it can."),
    TLS_CLIENT_CERTIFICATES(
            ConfigTopic.TLS,
            "Tls.ClientCertificates",
            ValueType.choice("none", "want", "need"),
            "none",
            "Whether clients are asked for a certificate: not at all, or `want` it and take those without, or `need` it."
                    + " One that `Tls.ClientAuthorities` do not vouch for ends the connection.",
            Trait.RELOADABLE),
    TLS_CLIENT_AUTHORITIES(
            ConfigTopic.TLS,
            "Tls.ClientAuthorities",
            ValueType.path(),
            "The PEM file with the certificates of the authorities whose clients are known.",
            Trait.RELOADABLE),
    TLS_CHECK_INTERVAL(
            ConfigTopic.TLS,
            "Tls.CheckInterval",
            ValueType.time(TimeScale.S, TlsConfig.MIN_CHECK_MILLIS, TlsConfig.MAX_CHECK_MILLIS),
            "5 s",
            "How often the files of this chapter are looked at for changes; `bin/belfry reload` does so at once."),

    MEMORY(
            ConfigTopic.MEMORY_AND_THREADS,
            "Memory",
            ValueType.size(SizeUnit.MB, ServerConfig.MIN_MEMORY_BYTES, Long.MAX_VALUE),
            "512 MB",
            "The heap the start script gives to the server; a bare number counts in MB."),
    WORKGROUPS(
            ConfigTopic.MEMORY_AND_THREADS,
            "Workgroups",
            ValueType.numberOr("processors", 1, WorkgroupConfig.MAX_IO_THREADS),
            "processors",
            "Into how many groups users are separated, by their IP address; groups run in parallel and share nothing."),
    IO_THREADS(
            ConfigTopic.MEMORY_AND_THREADS,
            "IoThreads",
            ValueType.numberOr("processors", 1, WorkgroupConfig.MAX_IO_THREADS),
            "processors",
            "Event loops in all, divided among the workgroups; not fewer than `Workgroups`, which raises the default"
                    + " where it is larger."),
    BENCHMARK_MODE(
            ConfigTopic.MEMORY_AND_THREADS,
            "BenchmarkMode",
            ValueType.flag(),
            "false",
            "Spreads users evenly over the workgroups instead of by their IP address, for load generators that open"
                    + " all connections from a few addresses."),

    MAX_MESSAGE_SIZE(
            ConfigTopic.MESSAGES,
            "MaxMessageSize",
            ValueType.size(SizeUnit.B, 1, MessageConfig.MAX_MESSAGE_SIZE),
            "64 KB",
            "The largest data of a message; a larger publish is refused with `message-too-large`."),
    BUFFER_LIMIT_SEND(
            ConfigTopic.MESSAGES,
            "BufferLimit.Send",
            ValueType.size(SizeUnit.B, 64, MessageConfig.MAX_BUFFER),
            "8192",
            "The initial size of a buffer for sending; it grows on demand, this is no limit."),
    BUFFER_LIMIT_RECEIVE(
            ConfigTopic.MESSAGES,
            "BufferLimit.Receive",
            ValueType.size(SizeUnit.B, 64, MessageConfig.MAX_BUFFER),
            "8192",
            "The initial size of the buffer for a message or body that comes in pieces, or less where less is announced;"
                    + " it grows on demand, this is no limit. What comes whole needs none."),
    BUFFER_LIMIT_UNSENT(
            ConfigTopic.MESSAGES,
            "BufferLimit.Unsent",
            ValueType.size(SizeUnit.B, 0, MessageConfig.MAX_BUFFER),
            "128 KB",
            "Bytes of a connection that the kernel takes beyond what is on its way; a client for which more waits is slow,"
                    + " and reads on from the history. `0` leaves it to the system (`net.ipv4.tcp_notsent_lowat`), which"
                    + " takes megabytes. Needs native sockets."),
    MAX_BATCHING_SPACE(
            ConfigTopic.MESSAGES,
            "MaxBatchingSpace",
            ValueType.size(SizeUnit.B, 0, MessageConfig.MAX_BUFFER),
            "0",
            "How many bytes of one session end the wait of `MaxBatchingTime` early; 0 is 64 KB. Without `MaxBatchingTime` it"
                    + " is an error."),
    MAX_BATCHING_TIME(
            ConfigTopic.MESSAGES,
            "MaxBatchingTime",
            ValueType.time(TimeScale.MS, 0, MessageConfig.MAX_BATCHING_MILLIS),
            "0",
            "How long messages of one session wait for more to go out in one write. The first one after so long without any"
                    + " goes at once. 0 sends them at the end of the same turn of the loop."),
    PUB_SUB_TIGHTLY_COUPLED(
            ConfigTopic.MESSAGES,
            "PubSubTightlyCoupled",
            ValueType.flag(),
            "false",
            "Tells publishers who ask (`watch`) when a subject gains its first subscriber or loses its last."),
    COMPRESSION(
            ConfigTopic.MESSAGES,
            "Compression",
            ValueType.flag(),
            "off",
            "Compresses messages for WebSocket clients that offer it (permessage-deflate), each once for all of them; and takes"
                    + " compressed ones from them. It costs the event loops CPU."),
    COMPRESSION_MIN_BYTES(
            ConfigTopic.MESSAGES,
            "Compression.MinBytes",
            ValueType.size(SizeUnit.B, 1, MessageConfig.MAX_MESSAGE_SIZE),
            "256",
            "Smaller payloads are sent as they are: they hardly shrink, and compressing one costs some microseconds."),

    CACHE_SIZE(
            ConfigTopic.HISTORY,
            "CacheSize",
            ValueType.number(0, HistoryConfig.MAX_CACHE_SIZE),
            "1000",
            "Messages kept of each subject for recovery and history; 0 keeps none."),
    CACHE_EXPIRE_TIME(
            ConfigTopic.HISTORY,
            "CacheExpireTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "180 s",
            "How long a message is kept at most."),
    CACHE_MEMORY(
            ConfigTopic.HISTORY,
            "CacheMemory",
            ValueType.share(),
            "25 %",
            "How many bytes all messages kept in memory take at most, or how many percent of `Memory`; the oldest go"
                    + " first. With `History = disk` it is `History.DiskBytes` that bounds them."),
    HISTORY(
            ConfigTopic.HISTORY,
            "History",
            ValueType.choice("memory", "disk"),
            "memory",
            "Where messages are kept: `memory`, or `disk`, which survives a restart and a kill; then a publish is"
                    + " acknowledged and delivered when it is on disk as `History.Sync` says."),
    HISTORY_FOLDER(
            ConfigTopic.HISTORY,
            "History.Folder",
            ValueType.path(),
            "data",
            "The folder of `History = disk`; relative to where the server is started."),
    HISTORY_SYNC(
            ConfigTopic.HISTORY,
            "History.Sync",
            ValueType.choice("group", "always", "os"),
            "group",
            "When an acknowledged publish is on disk with `History = disk`: synced with its `group`, `always` by"
                    + " itself, or when the `os` writes it: that survives a kill of the server, but not a power cut."),
    HISTORY_DISK_BYTES(
            ConfigTopic.HISTORY,
            "History.DiskBytes",
            ValueType.size(SizeUnit.B, HistoryConfig.MIN_DISK_BYTES, Long.MAX_VALUE),
            "4 GB",
            "How many bytes of disk `History = disk` takes at most, shared evenly among the event loops; the oldest"
                    + " messages go first. At least four times `Limit.RetainedBytes`."),

    SLOW_CONSUMER(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer",
            ValueType.choice("disconnect", "conflate", "drop"),
            "disconnect",
            "What happens to a session that takes messages too slowly: `disconnect` closes it with `slow-consumer`; `drop`"
                    + " leaves out the oldest of what it missed, `conflate` all but the latest message of each subject,"
                    + " and either announces that with `gap`.",
            Trait.RELOADABLE),
    SLOW_CONSUMER_SUBJECTS(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer.Subjects",
            ValueType.list("list of pattern and policy"),
            "Another `SlowConsumer` for some subjects, such as `/prices/** conflate, /orders/** disconnect`: the first"
                    + " pattern that matches a subject counts. A session that lags too far in several subjects is closed if"
                    + " any of them says `disconnect`.",
            Trait.RELOADABLE),
    SLOW_CONSUMER_MAX_BYTES(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer.MaxBytes",
            ValueType.size(SizeUnit.B, 1024, Long.MAX_VALUE),
            "1 MB",
            "How many bytes a session may lag behind, over all its subjects, before it counts as too slow; with `drop` it"
                    + " is also how much of the latest it then still gets. Not less than `MaxMessageSize`.",
            Trait.RELOADABLE),
    SLOW_CONSUMER_GRACE(
            ConfigTopic.SLOW_CONSUMERS,
            "SlowConsumer.Grace",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "10 s",
            "How long a session may lag behind without catching up before it counts as too slow; with `drop` it gets"
                    + " nothing older than that.",
            Trait.RELOADABLE),

    ENTITLEMENT(
            ConfigTopic.ENTITLEMENT,
            "Entitlement",
            ValueType.choice("None", "Basic", "JWT", "Custom"),
            "Basic",
            "Who may do what: `None` lets anyone do anything; `Basic` lets anyone subscribe and those publish who have"
                    + " the token; with `JWT` each client's signed token says it; with `Custom` your own code does."),
    ENTITLEMENT_ALLOW_TOKEN(
            ConfigTopic.ENTITLEMENT,
            "EntitlementAllowToken",
            ValueType.text(),
            "The token for publishing under `Entitlement = Basic`, 8 characters or more; while not set, only clients"
                    + " on the server's machine publish, where they call it 127.0.0.1, [::1] or localhost or are pages that"
                    + " `AllowedOrigins` names; others are told this key's name.",
            Trait.SECRET,
            Trait.RELOADABLE),
    ENTITLEMENT_ALLOW_TOKEN_FILE(
            ConfigTopic.ENTITLEMENT,
            "EntitlementAllowTokenFile",
            ValueType.path(),
            "A file whose first line is the token, instead of `EntitlementAllowToken`; read at the start and with each"
                    + " reload.",
            Trait.RELOADABLE),
    ENTITLEMENT_DECIDE_TIME(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.DecideTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "5 s",
            "How long a client waits for `JWT` or `Custom` to decide; then it is refused with `decide-timeout`."),
    ENTITLEMENT_WAITING(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.Waiting",
            ValueType.number(1, EntitlementConfig.MAX_WAITING),
            "10000",
            "Decisions under way at once; further clients are refused with `overloaded`."),
    ENTITLEMENT_TOKEN_TIME(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.TokenTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "10 s",
            "How long a WebSocket client that came without a token has under `JWT` to bring one with `connect`; then its"
                    + " session is closed with `unauthorized`."),
    ENTITLEMENT_WARN_TIME(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.WarnTime",
            ValueType.time(TimeScale.S, 0, EntitlementConfig.MAX_WARN_MILLIS),
            "60 s",
            "How long before its token expires a session is told (`token-to-expire`), but not before half of the token's"
                    + " remaining time has passed; 0 tells nobody."),
    ENTITLEMENT_TOKEN_IN_QUERY(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.TokenInQuery",
            ValueType.flag(),
            "false",
            "Takes the token of `/subscribe` and `/poll` from the parameter `token` too, for a browser's EventSource."
                    + " Proxies write addresses into their logs: use tokens of short life."),
    ENTITLEMENT_FOLDER(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.Folder",
            ValueType.path(),
            "The folder with the jar of `Entitlement = Custom` and the libraries it needs; while not set it is looked for"
                    + " on the class path."),
    CUSTOM(
            ConfigTopic.ENTITLEMENT,
            "Custom.*",
            ValueType.text(),
            "Settings of the code behind `Entitlement = Custom`, which gets them by the name behind `Custom.`.",
            Trait.SECRET,
            Trait.RELOADABLE),
    JWT_SECRET(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Secret",
            ValueType.text(),
            "The secret that tokens are signed with by HMAC, 32 bytes or more.",
            Trait.SECRET,
            Trait.RELOADABLE),
    JWT_SECRET_FILE(
            ConfigTopic.ENTITLEMENT,
            "Jwt.SecretFile",
            ValueType.path(),
            "A file whose first line is the secret, instead of `Jwt.Secret`; read again when it changes.",
            Trait.RELOADABLE),
    JWT_PUBLIC_KEY(
            ConfigTopic.ENTITLEMENT,
            "Jwt.PublicKey",
            ValueType.path(),
            "A PEM file with the public key or certificate of who signs tokens, RSA, EC or Ed25519; several are several"
                    + " keys. Read again when it changes.",
            Trait.RELOADABLE),
    JWT_JWKS(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Jwks",
            ValueType.text("file | URL"),
            "A JSON web key set: a file, read again when it changes, or an `https` URL (`http` from this machine only),"
                    + " fetched every `Jwt.RefreshTime`. While it cannot be had the keys before hold.",
            Trait.RELOADABLE),
    JWT_REFRESH_TIME(
            ConfigTopic.ENTITLEMENT,
            "Jwt.RefreshTime",
            ValueType.time(TimeScale.S, 1000, Long.MAX_VALUE),
            "300 s",
            "How often the URL of `Jwt.Jwks` is fetched.",
            Trait.RELOADABLE),
    JWT_UNKNOWN_KEY_TIME(
            ConfigTopic.ENTITLEMENT,
            "Jwt.UnknownKeyTime",
            ValueType.time(TimeScale.S, 1000, Long.MAX_VALUE),
            "10 s",
            "A token that names a key which is not known has the URL of `Jwt.Jwks` fetched at once and waits for it, at most"
                    + " once in this time; further ones are refused.",
            Trait.RELOADABLE),
    JWT_ALGORITHM(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Algorithm",
            ValueType.choice(
                    "auto", "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256",
                    "ES384", "ES512", "EdDSA"),
            "auto",
            "What a key is for that does not say it itself. `auto`: HS256 for a secret, RS256 for RSA, by its curve for"
                    + " EC, EdDSA for Ed25519. A token with another algorithm than its key's is refused.",
            Trait.RELOADABLE),
    JWT_ISSUER(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Issuer",
            ValueType.text(),
            "What a token's `iss` must be; while not set, anything.",
            Trait.RELOADABLE),
    JWT_AUDIENCE(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Audience",
            ValueType.text(),
            "What must be among a token's `aud`; while not set, anything.",
            Trait.RELOADABLE),
    JWT_LEEWAY(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Leeway",
            ValueType.time(TimeScale.S, 0, JwtConfig.MAX_LEEWAY_MILLIS),
            "0",
            "By how much the clocks of the server and of who signs tokens may differ: `exp` counts so much later, `nbf` so"
                    + " much earlier.",
            Trait.RELOADABLE),
    JWT_REQUIRE_EXPIRY(
            ConfigTopic.ENTITLEMENT,
            "Jwt.RequireExpiry",
            ValueType.flag(),
            "true",
            "Whether a token without `exp` is refused; one that is taken never expires.",
            Trait.RELOADABLE),

    LIMIT_CONNECTIONS(
            ConfigTopic.LIMITS,
            "Limit.Connections",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Connections at once; more are refused with `too-many-connections`. 0: as many as the process may have"
                    + " open files.",
            Trait.RELOADABLE),
    LIMIT_CONNECTIONS_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.ConnectionsPerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "65536",
            "Connections at once from one IP address; more are refused with `too-many-from-address`, 0 is no limit. The"
                    + " default is all the ports an address has, so that load tests from a few addresses (20,000"
                    + " connections over loopback, 65,000 per address in the published ones) pass; lower it where users"
                    + " come from the open internet, but think of those behind one NAT.",
            Trait.RELOADABLE),
    LIMIT_CONNECT_RATE(
            ConfigTopic.LIMITS,
            "Limit.ConnectRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "200000",
            "New connections per second; more are refused with `connect-rate`, 0 is no limit. The default is twice the"
                    + " published churn test.",
            Trait.RELOADABLE),
    LIMIT_CONNECT_RATE_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.ConnectRatePerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "New connections per second from one address; more are refused with `address-connect-rate`, 0 is no limit. Off by"
                    + " default, because load tests and proxies come from few addresses; 100 suits the open internet.",
            Trait.RELOADABLE),
    LIMIT_UNKNOWN_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.UnknownPerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "10000",
            "Connections at once from one address that have completed no handshake and no entitled request; more are refused"
                    + " with `too-many-unknown`, 0 is no limit. The default is a second of a fast ramp from one address.",
            Trait.RELOADABLE),
    LIMIT_FAILED_TOKENS_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.FailedTokensPerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "300",
            "Tokens per minute from one address that are not accepted; beyond, only tokens that were accepted from it lately are"
                    + " looked at until the rate is below again, and who shows another gets `token-rate`. 0 is no limit.",
            Trait.RELOADABLE),
    LIMIT_REQUEST_RATE(
            ConfigTopic.LIMITS,
            "Limit.RequestRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "10000",
            "HTTP requests per second on one connection; one more ends it with `request-rate`, 0 is no limit.",
            Trait.RELOADABLE),
    LIMIT_COMMAND_RATE(
            ConfigTopic.LIMITS,
            "Limit.CommandRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "10000",
            "Commands per second of one session other than publishes; of a command with several subjects each counts. More are"
                    + " refused with `command-rate`, 0 is no limit.",
            Trait.RELOADABLE),
    LIMIT_SUBJECTS(
            ConfigTopic.LIMITS,
            "Limit.Subjects",
            ValueType.numberOr("memory", 1, Integer.MAX_VALUE),
            "memory",
            "Subjects that the server knows at the same time, by history, retained messages or subscriptions; one that is"
                    + " followed from other event loops than its own counts there too. A publish or subscription that would"
                    + " add one is refused with `subjects-full`. `memory` is one for each KB of `Memory`, twice what a subject"
                    + " with a long name takes.",
            Trait.RELOADABLE),
    LIMIT_PATTERNS(
            ConfigTopic.LIMITS,
            "Limit.Patterns",
            ValueType.numberOr("memory", 0, Integer.MAX_VALUE),
            "memory",
            "Subscriptions to patterns of all sessions together; more are refused with `patterns-full`. `memory` is one for"
                    + " each 8 KB of `Memory`.",
            Trait.RELOADABLE),
    LIMIT_PATTERNS_PER_SESSION(
            ConfigTopic.LIMITS,
            "Limit.PatternsPerSession",
            ValueType.number(0, Integer.MAX_VALUE),
            "100",
            "Subscriptions to patterns of one session, which count among `Limit.SubjectsPerSession` too; more are refused with"
                    + " `too-many-patterns`, 0 is no limit of their own.",
            Trait.RELOADABLE),
    LIMIT_SUBJECTS_PER_SESSION(
            ConfigTopic.LIMITS,
            "Limit.SubjectsPerSession",
            ValueType.number(0, Integer.MAX_VALUE),
            "1000",
            "Subscriptions of one session; more are refused with `too-many-subjects`, 0 is no limit. The published"
                    + " load tests have one for each client.",
            Trait.RELOADABLE),
    LIMIT_CONFLATED_SUBJECTS(
            ConfigTopic.LIMITS,
            "Limit.ConflatedSubjects",
            ValueType.number(0, Integer.MAX_VALUE),
            "100000",
            "Subjects that subscriptions to patterns with `conflate` are conflating at the same time, spread evenly over the"
                    + " event loops; messages of further ones come as they are published, and are counted.",
            Trait.RELOADABLE),
    LIMIT_PUBLISH_RATE(
            ConfigTopic.LIMITS,
            "Limit.PublishRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "100000",
            "Messages per second that one session may publish; more are refused with `publish-rate`, 0 is no limit. The"
                    + " default is four times a publisher of the published load tests.",
            Trait.RELOADABLE),
    LIMIT_PUBLISH_RATE_PER_ADDRESS(
            ConfigTopic.LIMITS,
            "Limit.PublishRatePerAddress",
            ValueType.number(0, Integer.MAX_VALUE),
            "0",
            "Messages per second that all sessions of one address may publish; more are refused with `address-publish-rate`, 0"
                    + " is no limit. Off by default, because publishers are few and trusted as a rule.",
            Trait.RELOADABLE),
    LIMIT_RETAINED_BYTES(
            ConfigTopic.LIMITS,
            "Limit.RetainedBytes",
            ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE),
            "64 MB",
            "Bytes of all retained messages; a retained publish beyond it is refused with `retained-full`, 0 retains"
                    + " nothing."),
    LIMIT_INFLATE_RATIO(
            ConfigTopic.LIMITS,
            "Limit.InflateRatio",
            ValueType.number(1, CompressionConfig.MAX_RATIO),
            "100",
            "How many times its size a compressed message may become, with `Compression`; up to 16 KB it always may. A"
                    + " larger one ends the session with `inflate-ratio`."),
    LIMIT_INBOX_BYTES(
            ConfigTopic.LIMITS,
            "Limit.InboxBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "16 MB",
            "Bytes that an event loop has been handed by others and has not worked off; beyond, nothing is lost or"
                    + " refused, but reading pauses from those who publish to it until it is below again."),
    LIMIT_HISTORY_UNSYNCED_BYTES(
            ConfigTopic.LIMITS,
            "Limit.HistoryUnsyncedBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "16 MB",
            "Bytes that an event loop has published and `History = disk` has not on disk yet; beyond, nothing is lost or"
                    + " refused, but reading pauses from those who publish to it until it is below again."),
    LIMIT_HANDSHAKE_TIME(
            ConfigTopic.LIMITS,
            "Limit.HandshakeTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "5 s",
            "The time a new connection has for its first complete request, TLS included, and each later request from its first"
                    + " byte to its last, however slowly they come; then the connection is closed with"
                    + " `handshake-timeout`."),
    LIMIT_TLS_HANDSHAKE_RATE(
            ConfigTopic.LIMITS,
            "Limit.TlsHandshakeRate",
            ValueType.number(0, Integer.MAX_VALUE),
            "2000",
            "TLS handshakes begun per second; more connections are closed without one and counted under `tls-rate`, 0 is no"
                    + " limit. A handshake costs some 0.3 ms of CPU with an EC key and 1 ms with RSA.",
            Trait.RELOADABLE),
    LIMIT_TLS_HANDSHAKE_BYTES(
            ConfigTopic.LIMITS,
            "Limit.TlsHandshakeBytes",
            ValueType.size(SizeUnit.B, TlsConfig.MIN_HANDSHAKE_BYTES, TlsConfig.MAX_HANDSHAKE_BYTES),
            "16 KB",
            "Bytes that a client may send before its TLS handshake is complete, its certificates included; more end the"
                    + " connection with `tls-failed`."),
    LIMIT_HANDSHAKE_BYTES(
            ConfigTopic.LIMITS,
            "Limit.HandshakeBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_HANDSHAKE_BYTES, LimitConfig.MAX_HANDSHAKE_BYTES),
            "16 KB",
            "Bytes of a request's head, which is all that is read before it is known who asks; a larger one is refused with"
                    + " `header-too-large`."),
    LIMIT_INCOMPLETE_BYTES(
            ConfigTopic.LIMITS,
            "Limit.IncompleteBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "64 MB",
            "Bytes held of requests and messages that have not come whole, of all clients together, spread evenly over the event"
                    + " loops; beyond, who sends another part of one is closed with `overloaded`. One that is alone may always"
                    + " be as large as `MaxMessageSize` allows.",
            Trait.RELOADABLE),
    LIMIT_ANSWER_BYTES(
            ConfigTopic.LIMITS,
            "Limit.AnswerBytes",
            ValueType.size(SizeUnit.B, LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE),
            "32 MB",
            "Bytes of files and of answers to `/history` and `/poll` that are being made or that their clients have not taken, of all"
                    + " together, spread evenly over the event loops; beyond, an answer under way ends with `truncated`, and"
                    + " who asks is refused with `overloaded`. One that is alone may always be as large as answers are.",
            Trait.RELOADABLE),
    LIMIT_PIPELINED_BYTES(
            ConfigTopic.LIMITS,
            "Limit.PipelinedBytes",
            ValueType.size(SizeUnit.B, HeldLimitConfig.MIN_PIPELINED_BYTES, HeldLimitConfig.MAX_PIPELINED_BYTES),
            "64 KB",
            "Bytes of further requests that wait on a connection while one is answered; with more it is not read from until"
                    + " then. Before it is known who asks `Limit.HandshakeBytes` holds.",
            Trait.RELOADABLE),
    LIMIT_REFUSED_WAITING(
            ConfigTopic.LIMITS,
            "Limit.RefusedWaiting",
            ValueType.number(0, Integer.MAX_VALUE),
            "1024",
            "Refused connections of an event loop that may wait 2 s each to read why; further ones are closed at once, which"
                    + " may reach them before the answer does.",
            Trait.RELOADABLE),
    LIMIT_REMEMBERED_ADDRESSES(
            ConfigTopic.LIMITS,
            "Limit.RememberedAddresses",
            ValueType.number(0, Integer.MAX_VALUE),
            "65536",
            "Addresses without a connection of which it is remembered what they have used up of a rate, about 150 bytes each;"
                    + " of more, rates begin anew when they come again.",
            Trait.RELOADABLE),
    PING_INTERVAL(
            ConfigTopic.LIMITS,
            "PingInterval",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "25 s",
            "How often a silent client is asked whether it is still there; one that does not answer until the next is"
                    + " closed with `ping-timeout`, as is one that takes nothing of an HTTP answer for two of them."),

    MONITOR(
            ConfigTopic.MONITORING,
            "Monitor",
            ValueType.list("list of JMX, HTTP | none"),
            "JMX",
            "The ways to watch the server: a list of `JMX` and `HTTP`, or `none`."),
    MONITOR_JMX_LISTEN(
            ConfigTopic.MONITORING,
            "MonitorJMX.Listen",
            ValueType.text("address"),
            "127.0.0.1:3000",
            "Where jconsole and other JMX clients connect."),
    MONITOR_JMX_AUTHENTICATION(
            ConfigTopic.MONITORING,
            "MonitorJMX.Authentication",
            ValueType.flag(),
            "true",
            "Whether JMX clients need name and password; beyond loopback it opens without only where `false` is written"
                    + " down, and every start says so."),
    MONITOR_JMX_ENCRYPTION(
            ConfigTopic.MONITORING,
            "MonitorJMX.Encryption",
            ValueType.flag(),
            "false",
            "Whether JMX goes over TLS, with the key of `KeyStore`."),
    MONITOR_HTTP_LISTEN(
            ConfigTopic.MONITORING,
            "MonitorHTTP.Listen",
            ValueType.text("address"),
            "127.0.0.1:4000",
            "Where `/metrics`, `/stats` and `/health` are served."),
    MONITOR_HTTP_AUTHENTICATION(
            ConfigTopic.MONITORING,
            "MonitorHTTP.Authentication",
            ValueType.flag(),
            "true",
            "Whether HTTP monitoring needs name and password; beyond loopback it opens without only where `false` is"
                    + " written down, and every start says so."),
    MONITOR_USERNAME(
            ConfigTopic.MONITORING,
            "MonitorUsername",
            ValueType.text(),
            "admin",
            "The name that monitoring clients log in with."),
    MONITOR_PASSWORD(
            ConfigTopic.MONITORING,
            "MonitorPassword",
            ValueType.text(),
            "The password that monitoring clients log in with; while neither this nor `MonitorPasswordFile` is set, a"
                    + " random one is written once to a file only its owner reads, and the log names the file.",
            Trait.SECRET),
    MONITOR_PASSWORD_FILE(
            ConfigTopic.MONITORING,
            "MonitorPasswordFile",
            ValueType.path(),
            "A file whose first line is the password, instead of `MonitorPassword`."),

    STATS_LOG_INTERVAL(
            ConfigTopic.LOGGING,
            "Stats.LogInterval",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "60 s",
            "How often a line of figures is logged; 0 logs none.",
            Trait.RELOADABLE),
    LOG_FOLDER(
            ConfigTopic.LOGGING,
            "LogFolder",
            ValueType.path(),
            "logs",
            "The folder of the log files; relative to where the server is started."),
    LOG_LEVEL(
            ConfigTopic.LOGGING,
            "LogLevel",
            ValueType.choice("TRACE", "DEBUG", "INFO", "WARN", "ERROR"),
            "INFO",
            "What is logged: this level and everything graver.",
            Trait.RELOADABLE),
    LOG_ROTATE_LIMIT(
            ConfigTopic.LOGGING,
            "LogRotateLimit",
            ValueType.size(SizeUnit.B, 4096, Long.MAX_VALUE),
            "10 MB",
            "The size at which a log file is put aside and a new one begun."),
    LOG_ROTATE_FILE_COUNT(
            ConfigTopic.LOGGING, "LogRotateFileCount", ValueType.number(1, 1000), "10", "How many log files are kept."),

    CLUSTER_ENGINE(
            ConfigTopic.CLUSTER,
            "ClusterEngine",
            ValueType.choice("none", "kafka"),
            "none",
            "The backbone of several nodes: `kafka` has all nodes with the same `Kafka.Topic` give the same messages in the"
                    + " same order; see [cluster.md](cluster.md)."),
    KAFKA_BROKERS(
            ConfigTopic.CLUSTER,
            "Kafka.Brokers",
            ValueType.list("list of addresses"),
            "Kafka's brokers, `host:port` each; some are enough, they name the others."),
    KAFKA_TOPIC(
            ConfigTopic.CLUSTER,
            "Kafka.Topic",
            ValueType.text(),
            "belfry.messages",
            "The topic that all messages go through; created at the first start where it does not exist."),
    KAFKA_RETAINED_TOPIC(
            ConfigTopic.CLUSTER,
            "Kafka.RetainedTopic",
            ValueType.text(),
            "The compacted topic that has the retained message of each subject for longer than `Kafka.Topic` has it;"
                    + " created at the first start where it does not exist. Without it the name is that of `Kafka.Topic`"
                    + " with `.retained` behind it."),
    KAFKA_BRIDGE(
            ConfigTopic.CLUSTER,
            "Kafka.Bridge",
            ValueType.list("list of topics"),
            "Topics of other programs that are read and written as messages: the subject `/T/k` is the key `k` of the topic"
                    + " `T`. The same on all nodes; each has to exist when a node starts."),
    KAFKA_PARTITIONS(
            ConfigTopic.CLUSTER,
            "Kafka.Partitions",
            ValueType.number(1, KafkaConfig.MAX_PARTITIONS),
            "32",
            "Partitions of `Kafka.Topic`, and as many of `Kafka.RetainedTopic`, for their lives: a topic with another number"
                    + " is refused at start."),
    KAFKA_REPLICATION(
            ConfigTopic.CLUSTER,
            "Kafka.Replication",
            ValueType.number(1, KafkaConfig.MAX_REPLICATION),
            "3",
            "On how many brokers each message is, where the topic is created; with 3 or more, two must have it before it is"
                    + " acknowledged."),
    KAFKA_START_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.StartTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "60 s",
            "How long a start waits for Kafka and for what it has to read of the topic; beyond, it fails."),
    KAFKA_PUBLISH_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.PublishTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "10 s",
            "How long a publish waits for Kafka before it is refused with `cluster-unreachable`; one that was handed to"
                    + " Kafka's client is answered within `Kafka.producer.delivery.timeout.ms`."),
    KAFKA_PUBLISH_BUFFER(
            ConfigTopic.CLUSTER,
            "Kafka.PublishBuffer",
            ValueType.size(SizeUnit.B, 64 << 10, Long.MAX_VALUE),
            "32 MB",
            "Bytes of publishes that wait for Kafka, for each topic; beyond, they are refused with `cluster-full`. So are publishes with"
                    + " `retain` when as much of an event loop's waits for `Kafka.RetainedTopic`."),
    KAFKA_REPEAT_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.RepeatTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "60 s",
            "For how long a message that is published again with the same `msgId`, on whichever node, is not delivered"
                    + " twice; less than `CacheExpireTime`. Each such message takes about 150 bytes of heap for that long."),
    KAFKA_STALE_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.StaleTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "2 s",
            "After so long without Kafka, or behind what it has, a node is stale: `/health/ready` says so, so that load balancers"
                    + " send new clients elsewhere, and subscribers are told."),
    KAFKA_RESTART_PAUSE(
            ConfigTopic.CLUSTER,
            "Kafka.RestartPause",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "1 s",
            "How long no publish goes to Kafka after one of unknown outcome; those that wait then are refused."),
    KAFKA_QUIET_SUBJECTS(
            ConfigTopic.CLUSTER,
            "Kafka.QuietSubjects",
            ValueType.number(0, 1_000_000_000),
            "1000000",
            "Of so many subjects that it has no messages of any more a node remembers the latest position, about 30 bytes"
                    + " each, so that who comes back with that position misses nothing; of others it is told of a gap."),
    KAFKA_WATCHED_SUBJECTS(
            ConfigTopic.CLUSTER,
            "Kafka.WatchedSubjects",
            ValueType.number(0, 10_000_000),
            "100000",
            "Of so many subjects at most that its publishers `watch` a node asks the others for subscribers; of more they are"
                    + " told of this node's only. Each takes a few hundred bytes of heap on every node."),
    KAFKA_PRESENCE_TIME(
            ConfigTopic.CLUSTER,
            "Kafka.PresenceTime",
            ValueType.time(TimeScale.S, 3000, Long.MAX_VALUE),
            "10 s",
            "With `PubSubTightlyCoupled`: subscribers of a node that has said nothing for so long count no more."),
    KAFKA_CLIENTS(
            ConfigTopic.CLUSTER,
            "Kafka.clients.*",
            ValueType.text(),
            "Settings that all of Kafka's own clients get by the name behind `Kafka.clients.`, such as `security.protocol`"
                    + " and `sasl.jaas.config`.",
            Trait.SECRET),
    KAFKA_PRODUCER(
            ConfigTopic.CLUSTER,
            "Kafka.producer.*",
            ValueType.text(),
            "Settings of the client that publishes, such as `linger.ms`; those that would break a promise are refused.",
            Trait.SECRET),
    KAFKA_CONSUMER(
            ConfigTopic.CLUSTER,
            "Kafka.consumer.*",
            ValueType.text(),
            "Settings of the client that reads; those that would break a promise are refused.",
            Trait.SECRET),
    KAFKA_ADMIN(
            ConfigTopic.CLUSTER,
            "Kafka.admin.*",
            ValueType.text(),
            "Settings of the client that looks after the topic.",
            Trait.SECRET),

    DOCUMENT_ROOT(
            ConfigTopic.TRIAL,
            "DocumentRoot",
            ValueType.path(),
            "A folder of static files served on the clients' port, for trying things out."),
    X_ECHO(
            ConfigTopic.TRIAL,
            "X.Echo",
            ValueType.flag(),
            "false",
            "Opens `/echo`, which sends WebSocket messages and HTTP bodies back, for conformance suites.");

    private enum Trait {
        SECRET,
        RELOADABLE
    }

    private final ConfigTopic topic;
    private final String keyName;
    private final ValueType<?> type;
    private final Optional<String> defaultText;
    private final String sentence;
    private final boolean secret;
    private final boolean reloadable;

    /** A key without a default: while nothing is written it is not set. */
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
        this.keyName = keyName;
        this.type = type;
        this.defaultText = defaultText;
        this.sentence = sentence;
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
    public String keyName() {
        return keyName;
    }

    @Override
    public ValueType<?> type() {
        return type;
    }

    @Override
    public Optional<String> defaultText() {
        return defaultText;
    }

    @Override
    public String sentence() {
        return sentence;
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
