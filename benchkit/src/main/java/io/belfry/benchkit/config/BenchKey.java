package io.belfry.benchkit.config;

import static io.belfry.settings.ValueType.choice;
import static io.belfry.settings.ValueType.flag;
import static io.belfry.settings.ValueType.list;
import static io.belfry.settings.ValueType.number;
import static io.belfry.settings.ValueType.path;
import static io.belfry.settings.ValueType.size;
import static io.belfry.settings.ValueType.text;
import static io.belfry.settings.ValueType.time;

import io.belfry.benchkit.measure.Texts;
import io.belfry.settings.Key;
import io.belfry.settings.KeyDefinition;
import io.belfry.settings.KeySet;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The keys of the load generators, each with the program that has it. Immutable. */
@SuppressWarnings("ImmutableEnumChecker") // A ValueType is immutable, but Error Prone cannot verify it.
public enum BenchKey implements Key {
    MEMORY(both(size(SizeUnit.MB, 0, Long.MAX_VALUE), "512 MB"), "Heap size of the JVM."),
    SERVER_ADDRESSES(
            both(list(), "127.0.0.1:8800"), "Addresses of the servers; the clients are distributed evenly among them."),
    TRANSPORT(
            both(choice("websocket", "http-stream", "sse"), "websocket"),
            "Protocol of the clients. `http-stream` and `sse`: subscribers read newline-delimited JSON or server-sent"
                    + " events, and publishers POST each message."),
    ENCODING(
            both(choice("binary", "json"), "binary"),
            "Encoding of messages over a WebSocket; messages over HTTP are always JSON."),
    COMPRESSION(
            both(flag(), "false"),
            "Whether to negotiate compression over a WebSocket; publishers then compress their messages too."),
    ENCRYPTED(both(flag(), "false"), "Whether to connect with TLS."),
    TRUST_CERTIFICATE(
            both(path(), null),
            "PEM file with the trusted certificates; not set: the certificates that the JDK trusts."),
    TRUST_ANY(
            both(flag(), "false"),
            "Whether to accept any certificate for any name; for tests on a private network only."),
    ENTITLEMENT_TOKEN(
            both(text(), null),
            "Token of every client. Set it in this file or in the environment, because every user of the machine can"
                    + " read the arguments of `--set`."),
    CONNECT_RATE(both(number(1, 1_000_000), "1000"), "Number of connections begun per second, all clients together."),
    LOCAL_ADDRESSES(
            both(list(), null),
            "Source addresses, used in turn with the ports of `LocalPorts`. Not set: 127.0.0.10 and up towards"
                    + " 127.0.0.1, otherwise the address that the kernel chooses."),
    LOCAL_PORTS(
            both(text(), "500-65535"),
            "Source ports of `LocalAddresses` as `first-last`; `auto`: the kernel chooses them."),
    BUFFER_SIZE(
            both(size(SizeUnit.B, 0, 1 << 30), "64 KB"),
            "Size of the read buffer that all clients of an event loop share; at least 64 KB."),
    EVENT_LOOPS(both(number(1, 64), "1"), "Number of threads that the clients are divided among."),
    WARM_UP_TIME(
            both(seconds(), "0 s"),
            "Time after the last client is ready in which latencies are not recorded; its messages are counted"
                    + " separately."),
    DURATION(both(seconds(), "0 s"), "Duration of the measurement after the warm-up; 0 = until Ctrl-C."),
    HISTOGRAM_LOG(both(path(), null), "File (.hlog) for a histogram of the latencies of each second, in microseconds."),
    REPORT_FILE(both(path(), null), "JSON file for the final figures."),
    CLIENTS(sub(number(1, 10_000_000), "1000"), "Number of connections to open."),
    SUBJECTS(both(list(), "/p/s{1..100}/-"), "Subjects, which may contain ranges."),
    SUBJECTS_PER_CLIENT(sub(number(1, 100_000), "1"), "Number of different subjects per client."),
    ONE_TO_ONE(
            sub(flag(), "false"),
            "Whether client i subscribes to subject i; otherwise the subjects of a client are random."),
    VERIFY(
            sub(flag(), "true"),
            "Whether to count lost, duplicated and reordered messages and to list the first of them."),
    HOLD_TIME(
            sub(text("time [+-share %]"), null),
            "Time after which a client closes its connection and connects again, such as `1 s +-10 %`; the report is"
                    + " then about connects."),
    RAMP_UP(sub(seconds(), "0 s"), "Time within which the clients connect, evenly distributed; 0 = at `ConnectRate`."),
    RAMP_DOWN(
            sub(seconds(), "0 s"),
            "With `HoldTime`: time after `Duration` within which the number of clients decreases to none."),
    STALLED_READERS(
            sub(text("share %"), "0 %"),
            "Share of the clients that stop reading after the warm-up; they are counted separately and not verified."),
    STALL_TIME(
            sub(seconds(), "0 s"),
            "Duration of each stall, and of each reading period between stalls; 0 = one stall until the end."),
    CORRECT_CLOCKS(
            sub(flag(), "false"),
            "Whether to correct latencies by the offset between the publishers' clocks and this machine's, as measured"
                    + " against the server."),
    PUBLISHER_TYPE(pub(text(), null), "First segment of the subjects: with `p`, /s1/- becomes /p/s1/-."),
    PUBLISHERS(
            pub(number(1, 100_000), "1"),
            "Number of publishing connections; each subject is published by the same one."),
    FREQUENCY(
            pub(text(), "1000"),
            "Number of messages per second, all publishers together; may be a fraction such as 0.5."),
    MESSAGE_SIZE(pub(size(SizeUnit.B, 0, 1 << 24), "512"), "Size of each payload."),
    ACKNOWLEDGED(
            pub(flag(), "false"), "Whether to request an acknowledgement of each message and measure its latency."),
    BURST(
            pub(number(1, 1_000_000), "1"),
            "Number of messages with the same intended send time; `Frequency` stays the same."),
    PUBLISHER_ID(
            pub(number(0, 1 << 29), null),
            "Number of the first publisher in the stamps; not set: random, so that two processes differ."),
    END_MARKS(
            pub(number(0, 100_000_000), "100000"),
            "Maximum number of streams that get an end mark, by which subscribers detect a loss at the end; with more"
                    + " streams, none is sent.");

    private static final String SUB = "benchsub";
    private static final String PUB = "benchpub";

    /** The programs that have a key, and its values; the default is null if the key is not set by default. */
    private record Values(
            List<String> programs,
            ValueType<?> type,
            @Nullable String defaultText) {}

    private static ValueType<Long> seconds() {
        return time(TimeScale.S, 0, Long.MAX_VALUE);
    }

    private static Values both(ValueType<?> type, @Nullable String defaultText) {
        return new Values(List.of(SUB, PUB), type, defaultText);
    }

    private static Values sub(ValueType<?> type, @Nullable String defaultText) {
        return new Values(List.of(SUB), type, defaultText);
    }

    private static Values pub(ValueType<?> type, @Nullable String defaultText) {
        return new Values(List.of(PUB), type, defaultText);
    }

    private final List<String> programs;
    private final KeyDefinition definition;

    /** The name of a key is that of its constant: {@code ConnectRate}. */
    BenchKey(Values values, String sentence) {
        this.programs = values.programs();
        this.definition = KeyDefinition.of(Texts.pascalCase(name()), values.type(), values.defaultText(), sentence);
    }

    /** The keys of {@code benchsub} or {@code benchpub}; its environment variables begin with its name. */
    public static KeySet of(String program) {
        List<BenchKey> keys = Arrays.stream(values())
                .filter(key -> key.programs.contains(program))
                .toList();
        return new KeySet(keys, program.toUpperCase(Locale.ROOT) + "_", Set.of(), "config/" + program + ".conf");
    }

    @Override
    public KeyDefinition definition() {
        return definition;
    }

    @Override
    public boolean secret() {
        return this == ENTITLEMENT_TOKEN;
    }
}
