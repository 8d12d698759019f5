package io.belfry.server.monitor;

import io.belfry.server.counter.Counter;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A meter's name with dots, its unit and its sentence, as docs/monitoring.md lists them. Immutable. The name does not
 * repeat the unit if it is obvious from the name. Prometheus shows times in seconds, as its users expect.
 */
record Metric(String name, String unit, String sentence) {
    static final Metric SESSIONS_CONNECTED = new Metric("belfry.sessions.connected", "sessions", "Sessions open now.");
    static final Metric REFUSALS =
            new Metric("belfry.refusals", "answers", "Errors answered to clients, by reason code.");
    static final Metric CLOSES =
            new Metric("belfry.closes", "closes", "Connections and sessions closed, by reason code.");
    static final Metric DROPS = of(Counter.MESSAGES_DROPPED).and("by reason code");
    static final Metric CONFLATIONS = of(Counter.MESSAGES_CONFLATED).and("by reason code");
    static final Metric LATENCY = new Metric(
            "belfry.delivery.latency",
            "seconds",
            "Delivery latency since the start, publish received to last byte handed to the socket.");
    static final Metric LATENCY_RECENT = new Metric(
            "belfry.delivery.latency.recent",
            "seconds",
            "Delivery latency of the last minute at a quantile; 1 is the maximum.");
    static final Metric LOOP_LAG_RECENT = new Metric(
            "belfry.workgroup.loop.lag.recent",
            "seconds",
            "Delay of event loop ticks within the last minute, at a quantile; 1 is the maximum.");
    static final Metric WORKGROUP_SESSIONS =
            new Metric("belfry.workgroup.sessions.connected", "sessions", "Sessions of a workgroup open now.");
    static final Metric MONITOR_DENIED = new Metric(
            "belfry.monitor.denied", "attempts", "Attempts to read the monitor with a wrong name or password.");
    static final Metric CERTIFICATE_EXPIRES = new Metric(
            "belfry.tls.certificate.expires.seconds",
            "seconds",
            "Expiry of the certificate of ListenEncrypted, in seconds since 1970; present only with ListenEncrypted.");
    static final Metric CLUSTER_PARTITION_LAG = new Metric(
            "belfry.cluster.partition.lag",
            "messages",
            "Messages of a partition of the cluster's log that this node has not read yet; present only in a cluster.");
    static final Metric OTLP_FAILURES = new Metric(
            "belfry.otlp.failures",
            "requests",
            "Exports of metrics or spans that the receiver did not accept; present only with Otlp.Endpoint.");
    static final Metric TRACE_SPANS = new Metric(
            "belfry.trace.spans", "spans", "Spans ended, dropped ones included; present only with Otlp.Endpoint.");
    static final Metric TRACE_SPANS_DROPPED = new Metric(
            "belfry.trace.spans.dropped",
            "spans",
            "Spans dropped because Otlp.SpansWaiting was reached or the receiver did not accept them; present only with"
                    + " Otlp.Endpoint.");
    static final Metric READY =
            new Metric("belfry.ready", "none", "1 while clients may be sent to this node, otherwise 0.");
    static final Metric BUILD =
            new Metric("belfry.build", "none", "Always 1; its labels name the version and the node.");

    /** Counters that are also exported for each workgroup. */
    static final List<Counter> BY_WORKGROUP = List.of(
            Counter.PUBLISHES_IN,
            Counter.MESSAGES_OUT,
            Counter.BYTES_IN,
            Counter.BYTES_OUT,
            Counter.QUEUED_BYTES,
            Counter.SLOW_SESSIONS,
            Counter.INBOX_BYTES);

    /** Counters that are exported by reason code instead of as a total, because a name has either labels or none. */
    static final Set<Counter> BY_CODE = EnumSet.of(Counter.MESSAGES_DROPPED, Counter.MESSAGES_CONFLATED);

    static Metric of(Counter counter) {
        return new Metric("belfry." + dotted(counter), counter.unit(), sentence(counter.sentence()));
    }

    static Metric byWorkgroup(Counter counter) {
        return new Metric(
                "belfry.workgroup." + dotted(counter), counter.unit(), sentence(counter.sentence() + ", by workgroup"));
    }

    static List<Metric> all() {
        return Stream.of(
                        Arrays.stream(Counter.values())
                                .filter(counter -> !BY_CODE.contains(counter))
                                .map(Metric::of),
                        BY_WORKGROUP.stream().map(Metric::byWorkgroup),
                        Stream.of(
                                SESSIONS_CONNECTED,
                                REFUSALS,
                                CLOSES,
                                DROPS,
                                CONFLATIONS,
                                LATENCY,
                                LATENCY_RECENT,
                                LOOP_LAG_RECENT,
                                WORKGROUP_SESSIONS,
                                MONITOR_DENIED,
                                CERTIFICATE_EXPIRES,
                                CLUSTER_PARTITION_LAG,
                                OTLP_FAILURES,
                                TRACE_SPANS,
                                TRACE_SPANS_DROPPED,
                                READY,
                                BUILD))
                .flatMap(rows -> rows)
                .toList();
    }

    private Metric and(String detail) {
        return new Metric(name, unit, sentence.substring(0, sentence.length() - 1) + ", " + detail + ".");
    }

    private static String dotted(Counter counter) {
        return counter.name().toLowerCase(Locale.ROOT).replace('_', '.');
    }

    private static String sentence(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
    }
}
