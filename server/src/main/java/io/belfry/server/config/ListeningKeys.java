package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.ValueType;

/** The keys about where the server listens; {@code ConfigKey} lists them. Immutable. */
final class ListeningKeys {
    static final TopicKey LISTEN = new TopicKey(
            ConfigTopic.LISTENING,
            "Listen",
            ValueType.list("list of addresses"),
            "*:8800",
            "Addresses that clients connect to, by WebSocket and HTTP: `host:port`, `*:port` or `[ipv6]:port`."
                    + " Port 0 takes any free port; `none` opens no plain listener.");

    static final TopicKey LISTEN_ENCRYPTED = new TopicKey(
            ConfigTopic.LISTENING,
            "ListenEncrypted",
            ValueType.list("list of addresses"),
            "Addresses that clients connect to with TLS, written as in `Listen`. Needs `Certificate` and"
                    + " `CertificateKey`, or `KeyStore`.");

    static final TopicKey ALLOWED_ORIGINS = new TopicKey(
            ConfigTopic.LISTENING,
            "AllowedOrigins",
            ValueType.list("* | web | list of origins"),
            "Pages that may connect from a browser: `*` for all, `web` for all of `http` and `https`, or exact"
                    + " origins such as `https://www.example.com`, also beside `web`. `*` includes pages opened from"
                    + " disk or sandboxed (origin `null` or `file://`). Without a value only pages of the server's own"
                    + " origin may connect.",
            Trait.RELOADABLE);

    static final TopicKey TRUSTED_PROXIES = new TopicKey(
            ConfigTopic.LISTENING,
            "TrustedProxies",
            ValueType.list("list of addresses and ranges"),
            "none",
            "Reverse proxies and load balancers that are trusted to report a client's address: IP addresses,"
                    + " or ranges such as `10.0.0.0/8`. Only their `X-Forwarded-For` and `X-Forwarded-Proto` are used.",
            Trait.RELOADABLE);

    static final TopicKey PROXY_PROTOCOL = new TopicKey(
            ConfigTopic.LISTENING,
            "ProxyProtocol",
            ValueType.flag(),
            "false",
            "Whether each connection from `TrustedProxies` begins with a PROXY header of version 2 that"
                    + " carries the client's address. A connection without it is closed with `bad-proxy-header`.");

    static final TopicKey X_NATIVE_IO = new TopicKey(
            ConfigTopic.LISTENING,
            "X.Native.Io",
            ValueType.choice("auto", "true", "false", "io_uring", "channels"),
            "auto",
            "Socket implementation: `true` is native epoll, and an error where epoll is not available; `false`"
                    + " is that of the JDK; `auto` uses epoll where it is available. `io_uring` saves CPU but costs"
                    + " latency and memory, and is an error where the kernel refuses it. `channels` is native epoll through"
                    + " Netty's channels, which take more memory for each session. Use it to compare the two, or as a"
                    + " remedy for faults of the server's own sockets.");

    private ListeningKeys() {}
}
