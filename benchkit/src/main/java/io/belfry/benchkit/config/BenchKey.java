package io.belfry.benchkit.config;

import io.belfry.settings.Key;
import io.belfry.settings.KeySet;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Every key of the load generators; which of the two takes it stands beside it. Immutable. */
// Every ValueType is a record of immutable parts; the checker wants an annotation of its own library to believe it.
@SuppressWarnings("ImmutableEnumChecker")
public enum BenchKey implements Key {
    MEMORY(Of.BOTH, "Memory", ValueType.size(SizeUnit.MB, 0, Long.MAX_VALUE), "512 MB", "Heap of the JVM."),
    SERVER_ADDRESSES(
            Of.BOTH, "ServerAddresses", ValueType.list(), "127.0.0.1:8800", "The servers, clients in turn to each."),
    TRANSPORT(
            Of.BOTH,
            "Transport",
            ValueType.choice("websocket", "http-stream", "sse"),
            "websocket",
            "How clients talk: over a WebSocket; or subscribers read a stream over HTTP, newline-delimited JSON or server-sent"
                    + " events, and publishers POST each message."),
    ENCODING(
            Of.BOTH,
            "Encoding",
            ValueType.choice("binary", "json"),
            "binary",
            "How messages are written over a WebSocket; over HTTP they are JSON."),
    COMPRESSION(
            Of.BOTH,
            "Compression",
            ValueType.flag(),
            "false",
            "Offer the server to compress messages over a WebSocket; publishers compress theirs then."),
    ENCRYPTED(Of.BOTH, "Encrypted", ValueType.flag(), "false", "Connect with TLS."),
    TRUST_CERTIFICATE(
            Of.BOTH,
            "TrustCertificate",
            ValueType.path(),
            null,
            "The PEM file with the certificates to trust; not set: those the JDK trusts."),
    TRUST_ANY(
            Of.BOTH,
            "TrustAny",
            ValueType.flag(),
            "false",
            "Take any certificate for any name; for tests on a network of one's own."),
    ENTITLEMENT_TOKEN(
            Of.BOTH,
            "EntitlementToken",
            ValueType.text(),
            null,
            "The token every client connects with. Give it in the environment (`BENCHSUB_ENTITLEMENTTOKEN`,"
                    + " `BENCHPUB_ENTITLEMENTTOKEN`) or in the file: every user of the machine can read what follows --set."),
    CONNECT_RATE(
            Of.BOTH,
            "ConnectRate",
            ValueType.number(1, 1_000_000),
            "1000",
            "Connections begun per second, of all clients."),
    LOCAL_ADDRESSES(
            Of.BOTH,
            "LocalAddresses",
            ValueType.list(),
            null,
            "Source addresses; each with each port of LocalPorts, used in turn. Not set: towards 127.0.0.1 spread over"
                    + " 127.0.0.10 and up, else as the kernel chooses."),
    LOCAL_PORTS(
            Of.BOTH,
            "LocalPorts",
            ValueType.text(),
            "500-65535",
            "Source ports of LocalAddresses, `first-last`; `auto` leaves them to the kernel."),
    BUFFER_SIZE(
            Of.BOTH,
            "BufferSize",
            ValueType.size(SizeUnit.B, 0, 1 << 30),
            "64 KB",
            "The read buffer that all clients of a loop share; never smaller than 64 KB."),
    EVENT_LOOPS(Of.BOTH, "EventLoops", ValueType.number(1, 64), "1", "Threads the clients are divided among."),
    WARM_UP_TIME(
            Of.BOTH,
            "WarmUpTime",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "0 s",
            "Once all clients are ready, this long nothing enters the latency figures; it is counted apart."),
    DURATION(
            Of.BOTH,
            "Duration",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "0 s",
            "How long to measure after the warm-up; 0 = until Ctrl-C."),
    HISTOGRAM_LOG(
            Of.BOTH, "HistogramLog", ValueType.path(), null, "The .hlog file for the latencies of each second, in us."),
    REPORT_FILE(Of.BOTH, "ReportFile", ValueType.path(), null, "The JSON file for the figures at the end."),

    CLIENTS(Of.SUB, "Clients", ValueType.number(1, 10_000_000), "1000", "Connections to open."),
    SUBJECTS(Of.BOTH, "Subjects", ValueType.list(), "/p/s{1..100}/-", "The subjects, with ranges."),
    SUBJECTS_PER_CLIENT(
            Of.SUB,
            "SubjectsPerClient",
            ValueType.number(1, 100_000),
            "1",
            "How many different subjects each client takes."),
    ONE_TO_ONE(
            Of.SUB,
            "OneToOne",
            ValueType.flag(),
            "false",
            "Client i takes subject i; otherwise each takes its subjects at random."),
    VERIFY(
            Of.SUB,
            "Verify",
            ValueType.flag(),
            "true",
            "Count lost, duplicated and reordered messages, and list the first ones."),
    HOLD_TIME(
            Of.SUB,
            "HoldTime",
            ValueType.text("time [+-share %]"),
            null,
            "Connect, hold so long, close, again: `1 s +-10 %`; the report is then about connects."),
    RAMP_UP(
            Of.SUB,
            "RampUp",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "0 s",
            "Begin the clients evenly within this time; 0 = as ConnectRate says."),
    RAMP_DOWN(
            Of.SUB,
            "RampDown",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "0 s",
            "With HoldTime: after Duration ever fewer clients come back, none after this time."),
    STALLED_READERS(
            Of.SUB,
            "StalledReaders",
            ValueType.text("share %"),
            "0 %",
            "This share of the clients stops reading after the warm-up; they are counted apart and not verified."),
    STALL_TIME(
            Of.SUB,
            "StallTime",
            ValueType.time(TimeScale.S, 0, Long.MAX_VALUE),
            "0 s",
            "How long they read nothing, then read on for as long, and so on; 0 = they read nothing until the end."),
    CORRECT_CLOCKS(
            Of.SUB,
            "CorrectClocks",
            ValueType.flag(),
            "false",
            "Correct latencies by how far the publishers' clocks are from this machine's, as asked of the server."),

    PUBLISHER_TYPE(
            Of.PUB,
            "PublisherType",
            ValueType.text(),
            null,
            "The first segment of the subjects: `p` makes /s1/- into /p/s1/-."),
    PUBLISHERS(
            Of.PUB,
            "Publishers",
            ValueType.number(1, 100_000),
            "1",
            "Connections that publish; each subject keeps to its own."),
    FREQUENCY(
            Of.PUB,
            "Frequency",
            ValueType.text(),
            "1000",
            "Messages per second, of all publishers together; may be 0.5."),
    MESSAGE_SIZE(Of.PUB, "MessageSize", ValueType.size(SizeUnit.B, 0, 1 << 24), "512", "Bytes of each payload."),
    ACKNOWLEDGED(
            Of.PUB,
            "Acknowledged",
            ValueType.flag(),
            "false",
            "Ask for an acknowledgement of each message and measure it."),
    BURST(Of.PUB, "Burst", ValueType.number(1, 1_000_000), "1", "Messages meant for the same moment; Frequency stays."),
    PUBLISHER_ID(
            Of.PUB,
            "PublisherId",
            ValueType.number(0, 1 << 29),
            null,
            "The number of the first publisher in the stamps; not set: a random one, so that processes differ."),
    END_MARKS(
            Of.PUB,
            "EndMarks",
            ValueType.number(0, 100_000_000),
            "100000",
            "At the end, tell the subscribers of each subject the last number, so that they can account for the end; with"
                    + " more streams than this, none.");

    /** Which program takes a key. */
    private enum Of {
        BOTH,
        SUB,
        PUB
    }

    private final Of program;
    private final String keyName;
    private final ValueType<?> type;
    private final Optional<String> defaultText;
    private final String sentence;

    BenchKey(Of program, String keyName, ValueType<?> type, @Nullable String defaultText, String sentence) {
        this.program = program;
        this.keyName = keyName;
        this.type = type;
        this.defaultText = Optional.ofNullable(defaultText);
        this.sentence = sentence;
    }

    /** The keys of benchsub; environment variables begin with {@code BENCHSUB_}. */
    public static KeySet benchsub() {
        return new KeySet(of(Of.SUB), "BENCHSUB_", Set.of(), "config/benchsub.conf");
    }

    /** The keys of benchpub; environment variables begin with {@code BENCHPUB_}. */
    public static KeySet benchpub() {
        return new KeySet(of(Of.PUB), "BENCHPUB_", Set.of(), "config/benchpub.conf");
    }

    private static List<BenchKey> of(Of program) {
        return Arrays.stream(values())
                .filter(key -> key.program == Of.BOTH || key.program == program)
                .toList();
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
        return this == ENTITLEMENT_TOKEN;
    }
}
