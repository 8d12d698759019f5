package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about monitoring; {@code ConfigKey} lists them. Immutable. */
final class MonitorKeys {
    static final TopicKey NODE_NAME = new TopicKey(
            ConfigTopic.MONITORING,
            "NodeName",
            ValueType.text(),
            "Name of this node in metrics, in `/stats` and in the event `connected`. The default is the host's"
                    + " name and the port of the first listener, such as `myhost-8800`. It is independent of the"
                    + " commands' `--name`.");

    static final TopicKey MONITOR = new TopicKey(
            ConfigTopic.MONITORING,
            "Monitor",
            ValueType.list("list of JMX, HTTP | none"),
            "JMX",
            "Interfaces for monitoring: a list of `JMX` and `HTTP`, or `none`.");

    static final TopicKey MONITOR_JMX_LISTEN = new TopicKey(
            ConfigTopic.MONITORING,
            "MonitorJMX.Listen",
            ValueType.text("address"),
            "127.0.0.1:3000",
            "Address for jconsole and other JMX clients.");

    static final TopicKey MONITOR_JMX_AUTHENTICATION = new TopicKey(
            ConfigTopic.MONITORING,
            "MonitorJMX.Authentication",
            ValueType.flag(),
            "true",
            "Whether JMX clients need a name and a password. On an address beyond loopback only an explicit"
                    + " `false` switches this off, and each start logs it.");

    static final TopicKey MONITOR_JMX_ENCRYPTION = new TopicKey(
            ConfigTopic.MONITORING,
            "MonitorJMX.Encryption",
            ValueType.flag(),
            "false",
            "Whether JMX uses TLS, with the key of `KeyStore`.");

    static final TopicKey MONITOR_HTTP_LISTEN = new TopicKey(
            ConfigTopic.MONITORING,
            "MonitorHTTP.Listen",
            ValueType.text("address"),
            "127.0.0.1:4000",
            "Address that serves `/metrics`, `/stats`, `/health` and the console.");

    static final TopicKey MONITOR_HTTP_AUTHENTICATION = new TopicKey(
            ConfigTopic.MONITORING,
            "MonitorHTTP.Authentication",
            ValueType.flag(),
            "true",
            "Whether HTTP monitoring needs a name and a password. On an address beyond loopback only an"
                    + " explicit `false` switches this off, and each start logs it.");

    static final TopicKey MONITOR_USERNAME = new TopicKey(
            ConfigTopic.MONITORING,
            "MonitorUsername",
            ValueType.text(),
            "admin",
            "Name with which monitoring clients log in.");

    static final TopicKey MONITOR_PASSWORD = new TopicKey(
            ConfigTopic.MONITORING,
            "MonitorPassword",
            ValueType.text(),
            "Password with which monitoring clients log in. If neither this nor `MonitorPasswordFile` is set,"
                    + " the server writes a random one once to a file that only its owner can read, and logs the file's"
                    + " name.",
            Trait.SECRET);

    static final TopicKey MONITOR_PASSWORD_FILE = new TopicKey(
            ConfigTopic.MONITORING,
            "MonitorPasswordFile",
            ValueType.path(),
            "File whose first line is the password, used instead of `MonitorPassword`.");

    static final TopicKey CONSOLE = new TopicKey(
            ConfigTopic.MONITORING,
            "Console",
            ValueType.flag(),
            "true",
            "Whether the HTTP monitor serves the console, at `/console/`.");

    static final TopicKey CONSOLE_ACT_PASSWORD = new TopicKey(
            ConfigTopic.MONITORING,
            "ConsoleActPassword",
            ValueType.text(),
            "Second password of the console. With it a user may also make changes, such as disconnecting a session."
                    + " Without this password no user may make changes.",
            Trait.SECRET);

    static final TopicKey CONSOLE_ACT_PASSWORD_FILE = new TopicKey(
            ConfigTopic.MONITORING,
            "ConsoleActPasswordFile",
            ValueType.path(),
            "File whose first line is the second password, used instead of `ConsoleActPassword`.");

    static final TopicKey OTLP_ENDPOINT = new TopicKey(
            ConfigTopic.MONITORING,
            "Otlp.Endpoint",
            ValueType.text("url"),
            "Base URL of an OpenTelemetry receiver (OTLP over HTTP), such as `http://127.0.0.1:4318`. The server"
                    + " sends metrics to `/v1/metrics` and spans to `/v1/traces` below it. Needs the module `otlp`;"
                    + " without a value the server sends nothing. `https` uses the trust store of the JDK.");

    static final TopicKey OTLP_INTERVAL = new TopicKey(
            ConfigTopic.MONITORING,
            "Otlp.Interval",
            ValueType.time(TimeScale.S, 1000, 3_600_000),
            "60 s",
            "Time between two exports of the metrics.");

    static final TopicKey OTLP_HEADERS = new TopicKey(
            ConfigTopic.MONITORING,
            "Otlp.headers.*",
            ValueType.text(),
            "Headers of each export, under the name after `Otlp.headers.`, such as `authorization`.",
            Trait.SECRET);

    static final TopicKey OTLP_TRACES = new TopicKey(
            ConfigTopic.MONITORING,
            "Otlp.Traces",
            ValueType.flag(),
            "true",
            "Whether to record spans: of `/publish`, `/poll` and `/history` calls whose `traceparent` header says that"
                    + " the trace is sampled, and of those in `Otlp.TraceRatio`.");

    static final TopicKey OTLP_TRACE_RATIO = new TopicKey(
            ConfigTopic.MONITORING,
            "Otlp.TraceRatio",
            ValueType.text("number from 0 to 1"),
            "0",
            "Share of the calls without a valid `traceparent` that begin a trace of their own.");

    static final TopicKey OTLP_SPANS_WAITING = new TopicKey(
            ConfigTopic.MONITORING,
            "Otlp.SpansWaiting",
            ValueType.number(1, 1_000_000),
            "2048",
            "Maximum number of spans that wait for their export; further ones are dropped and counted. A span"
                    + " takes about 200 bytes of heap.");

    private MonitorKeys() {}
}
