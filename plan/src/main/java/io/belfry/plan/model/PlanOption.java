package io.belfry.plan.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options that take an amount. Both commands share those of the load and of the node. A default that is a fixed text
 * stands here; the other defaults are in the description. The label lists the words that an option accepts beside an amount,
 * or instead of one if it has no unit; the value of a word is its index among them.
 */
public enum PlanOption {
    CLIENTS(Unit.COUNT, "N", "", "number of sessions, such as 60000000 or 60M"),

    RATE(Unit.PER_SECOND, "N/TIME", "", "messages each client receives (default: 1/min)"),
    PUBLISH_RATE(Unit.PER_SECOND, "N/TIME", "", "messages published in total; replaces --rate or --fan-out"),
    SIZE(Unit.BYTES, "BYTES", "512", "size of a message's data"),
    FAN_OUT(Unit.COUNT, "N|all", "", "sessions that receive each message (default: plan 1, simulate 1000)"),
    SUBJECTS(Unit.COUNT, "N", "", "number of subjects that the clients are spread over; replaces --fan-out"),
    SUBJECTS_PER_CLIENT(Unit.COUNT, "N", "1", "subscriptions of each client"),
    SUBJECT_BYTES(Unit.COUNT, "N", "16", "length of a subject"),
    TLS(Unit.SHARE, "SHARE", "0%", "share of the sessions that are encrypted"),
    HTTP(Unit.SHARE, "SHARE", "0%", "share of the sessions that are HTTP streams; the others are WebSockets"),
    JSON_SESSIONS(Unit.SHARE, "SHARE", "0%", "share of the WebSockets that use JSON"),
    NEW_SESSIONS(Unit.PER_SECOND, "N/TIME", "1/h", "how often each client reconnects in normal operation"),
    SLOW(Unit.SHARE, "SHARE", "1%", "share of the sessions with unread data"),
    PING(Unit.SECONDS, "TIME", "25s", "PingInterval of the server"),
    HISTORY(Unit.SECONDS, "TIME", "60s", "time a client may be away without losing messages; 0 keeps no history"),
    CACHE_SIZE(Unit.COUNT, "N|0", "1000", "CacheSize of the server: maximum messages kept per subject"),

    CORES(Unit.COUNT, "N", "", "processors of a node (default: those of this machine)"),
    MEMORY(Unit.BYTES, "SIZE", "", "memory of a node (default: that of this machine)"),
    NETWORK(Unit.BITS_PER_SECOND, "GBIT", "", "bandwidth of a node, each way (default: this machine's, or 1Gbit)"),
    OPEN_FILES(Unit.COUNT, "N", "1048576", "open files per process, as tuning/ sets them"),
    BUSY(Unit.SHARE, "SHARE", "60%", "share of processors and network for normal operation"),
    PEAK(Unit.SHARE, "SHARE", "90%", "share of the processors while clients of a failed node reconnect"),
    MEMORY_SHARE(Unit.SHARE, "SHARE", "85%", "share of the memory for the server and its sockets"),
    CONNECT_RATE(Unit.COUNT, "N", "200000", "maximum for Limit.ConnectRate"),

    SURVIVE(Unit.COUNT, "K|0", "1", "nodes of a cell that may fail at once; 0 for a single node"),
    RECONNECT_WINDOW(Unit.SECONDS, "TIME", "", "time in which clients of a failed node reconnect (default: 500ms)"),
    CELLS(Unit.COUNT, "N|auto", "1", "independent parts, each with its own nodes and brokers"),
    CLUSTER(
            null,
            "auto|yes|no",
            "auto",
            "Kafka between nodes: auto if there are several; no: publishers write to each"),
    REPLICATION(Unit.COUNT, "N", "3", "copies of a message in Kafka"),
    SURVIVE_BROKERS(Unit.COUNT, "K|0", "1", "brokers that may fail at once"),
    BROKER_CORES(Unit.CORES, "N", "", "processors of a broker (default: those of a node)"),
    BROKER_NETWORK(Unit.BITS_PER_SECOND, "GBIT", "", "network bandwidth of a broker (default: that of a node)"),
    BROKER_DISK(Unit.BYTES_PER_SECOND, "SIZE", "200MB", "bytes per second that a broker can write to disk"),
    LOG_KEPT(Unit.SECONDS, "TIME", "1h", "time for which the brokers keep messages"),

    SESSIONS(Unit.COUNT, "N", "1000000", "number of sessions"),
    BY(null, "kill|silence|drain", "kill", "connections are reset, clients time out, or clients are moved"),
    EVERY(Unit.SECONDS, "TIME", "30s", "time between two waves"),
    OVER(Unit.SECONDS, "TIME", "2m", "duration of a drain"),
    JITTER(Unit.SECONDS, "TIME|none", "", "time over which clients spread their first attempts (default: 500ms)"),
    MAX_SESSIONS(Unit.COUNT, "N", "", "maximum sessions of a node (default: by the model)"),
    MAX_ACCEPTS(Unit.COUNT, "N", "", "maximum new sessions per second of a node (default: by the model)"),
    UNTIL(Unit.SECONDS, "TIME", "10m", "end of the simulation if clients are still away");

    /** The options of {@code bin/belfry plan}. */
    public static final Set<PlanOption> OF_PLAN = EnumSet.range(CLIENTS, LOG_KEPT);

    /** The options of {@code bin/belfry plan simulate}. */
    public static final Set<PlanOption> OF_SIMULATE = EnumSet.range(RATE, CONNECT_RATE);

    static {
        OF_SIMULATE.addAll(EnumSet.range(SESSIONS, UNTIL));
    }

    private final @Nullable Unit unit;
    private final String label;

    /** The text of the default; empty: the default is not a fixed text. */
    final String defaultText;

    private final String description;

    PlanOption(@Nullable Unit unit, String label, String defaultText, String description) {
        this.unit = unit;
        this.label = label;
        this.defaultText = defaultText;
        this.description = description;
    }

    /** Returns the name of the value in formulas: {@code fan-out}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the name on the command line: {@code --fan-out}. */
    public String optionName() {
        return "--" + word();
    }

    /** Returns the unit of the value. */
    public Unit unit() {
        return unit == null ? Unit.COUNT : unit;
    }

    double parse(String text) {
        List<String> forms = List.of(label.split("\\|", -1));
        List<String> words = unit == null ? forms : forms.subList(1, forms.size());
        int word = words.indexOf(text.strip().toLowerCase(Locale.ROOT));
        if (word >= 0) {
            return word;
        }
        if (unit == null) {
            throw PlanError.badValue(optionName(), "must be one of " + String.join(", ", words), text);
        }
        return unit.parse(optionName(), text);
    }

    /** Adds options to a command. */
    public static void addTo(CommandSpec command, Set<PlanOption> options) {
        for (PlanOption option : options) {
            OptionSpec.Builder builder = OptionSpec.builder(option.optionName())
                    .paramLabel(option.label)
                    .type(String.class)
                    .description(
                            option.description + (option.defaultText.isEmpty() ? "" : " (default: ${DEFAULT-VALUE})"));
            command.addOption(builder.defaultValue(option.defaultText).build());
        }
    }
}
