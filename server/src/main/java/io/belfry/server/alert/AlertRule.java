package io.belfry.server.alert;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The situations in which an operator should act. Each has an expression for Prometheus, from which docs/monitoring.md and
 * config/prometheus/ are generated, and the same condition for the server's own evaluation.
 */
@SuppressWarnings("ImmutableEnumChecker") // The conditions have no state.
public enum AlertRule {
    BELFRY_DOWN(
            Severity.CRITICAL,
            "a node is down",
            "up{job=\"belfry\"} == 0",
            1,
            "the node is down, or its monitor is unreachable",
            figures -> Optional.empty()),
    BELFRY_NOT_READY(
            Severity.WARNING,
            "a node is not ready",
            "belfry_ready == 0",
            10,
            "load balancers send clients elsewhere, for longer than a drain takes; `/health/ready` states the reason",
            AlertFigures::notReady),
    BELFRY_SLOW_DELIVERIES(
            Severity.WARNING,
            "deliveries are slow",
            "belfry:delivery_latency_seconds:p99_5m > 0.25",
            5,
            "check the loop lag: a high lag means the server is slow, a low lag that readers are slow",
            figures -> when(
                    figures.latencyP99Micros(5) > 250_000,
                    "99 %% of the deliveries of five minutes took up to %d ms",
                    figures.latencyP99Micros(5) / 1000)),
    BELFRY_LATE_EVENT_LOOP(
            Severity.WARNING,
            "an event loop is late",
            "max by (instance, workgroup) (belfry_workgroup_loop_lag_recent_seconds{quantile=\"0.99\"}) > 0.05",
            5,
            "not enough CPU, or a blocked loop",
            figures -> figures.lagP99Micros().entrySet().stream()
                    .filter(lag -> lag.getValue() > 50_000)
                    .max(Map.Entry.comparingByValue())
                    .map(lag -> "workgroup %s is up to %d ms late".formatted(lag.getKey(), lag.getValue() / 1000))),
    BELFRY_CUT_OFF(
            Severity.CRITICAL,
            "a node is cut off from the cluster",
            "belfry_cluster_stale > 0",
            1,
            "`/health/ready` states the reason; see [cluster.md](cluster.md)",
            figures -> when(
                    figures.level(Counter.CLUSTER_STALE) > 0,
                    "this node does not receive messages of other nodes in time")),
    BELFRY_PUBLISHES_UNKNOWN(
            Severity.WARNING,
            "publishes of unknown outcome",
            "increase(belfry_cluster_publishes_unknown_total[5m]) > 0",
            0,
            "Kafka did not answer in time",
            figures -> grown(figures, 5, "publishes of unknown outcome", Counter.CLUSTER_PUBLISHES_UNKNOWN)),
    BELFRY_LOOP_FAILURE(
            Severity.CRITICAL,
            "an event loop fails",
            "increase(belfry_loop_failures_total[5m]) > 0",
            0,
            "a fault in the server; see the log",
            figures -> grown(figures, 5, "failures", Counter.LOOP_FAILURES)),
    BELFRY_MESSAGES_DROPPED(
            Severity.WARNING,
            "messages are not delivered",
            "sum by (instance, code) (rate(belfry_messages_dropped_total[5m])) > 0",
            0,
            "`slow-consumer`: readers are too slow; `history-gone`: clients resumed from messages that are no longer stored",
            figures -> codes(figures.drops(5), "messages")),
    BELFRY_SLOW_READERS(
            Severity.WARNING,
            "many slow readers",
            "belfry_slow_sessions > 0.01 * belfry_sessions_connected",
            5,
            "a network problem, or one kind of client",
            figures -> when(
                    figures.level(Counter.SLOW_SESSIONS) > 0.01 * figures.sessions(),
                    "%d of %d sessions lag",
                    figures.level(Counter.SLOW_SESSIONS),
                    figures.sessions())),
    BELFRY_RECOVERIES_WITH_GAP(
            Severity.WARNING,
            "recoveries with a gap",
            "rate(belfry_recoveries_with_gap_total[15m]) > 0",
            0,
            "`CacheSize`, `CacheExpireTime`, `CacheMemory` or `History.DiskBytes` is too small for the time that clients are disconnected",
            figures -> grown(figures, 15, "recoveries", Counter.RECOVERIES_WITH_GAP)),
    BELFRY_HISTORY_TOO_SMALL(
            Severity.INFO,
            "the history is too small",
            "rate(belfry_cached_messages_early_total[15m]) > 0",
            15,
            "`CacheMemory` or `History.DiskBytes` is too small for `CacheSize` and `CacheExpireTime`; on disk without expiry it only means that the disk's share is full",
            figures -> grown(figures, 15, "messages", Counter.CACHED_MESSAGES_EARLY)),
    BELFRY_HISTORY_NOT_WRITTEN(
            Severity.CRITICAL,
            "the history cannot write to disk",
            "belfry_history_failing > 0",
            1,
            "publishes are refused with `history-full` or `history-failed`, while readers are served and `/health/ready` stays 200 with a `warning`. Check the log, the free space and the state of the file system; the server resumes automatically",
            figures -> when(
                    figures.level(Counter.HISTORY_FAILING) > 0,
                    "%d event loops refuse publishes",
                    figures.level(Counter.HISTORY_FAILING))),
    BELFRY_PUBLISHERS_SLOWED(
            Severity.WARNING,
            "publishers are slowed down",
            "rate(belfry_publish_pauses_total[5m]) > 0",
            5,
            "`belfry_inbox_bytes` near `Limit.InboxBytes`: the event loops have too much work. `belfry_history_waiting_bytes` near `Limit.HistoryUnsyncedBytes`: the disk is too slow",
            figures -> grown(figures, 5, "pauses", Counter.PUBLISH_PAUSES)),
    BELFRY_SLOW_DECISIONS(
            Severity.WARNING,
            "the entitlement is slow",
            "belfry_decisions_waiting > 100 or increase(belfry_decisions_ignored_total[15m]) > 0",
            1,
            "the `Custom` provider or the keys of `JWT` answer late; clients get `decide-timeout`",
            figures -> when(
                            figures.level(Counter.DECISIONS_WAITING) > 100,
                            "%d clients wait for a decision",
                            figures.level(Counter.DECISIONS_WAITING))
                    .or(() -> grown(figures, 15, "late decisions", Counter.DECISIONS_IGNORED))),
    BELFRY_TLS_HANDSHAKES_FAIL(
            Severity.WARNING,
            "TLS handshakes fail",
            "rate(belfry_tls_handshakes_failed_total[5m]) > rate(belfry_tls_handshakes_total[5m])",
            5,
            "clients that do not trust the certificate, or a scan",
            figures -> when(
                    figures.growth(Counter.TLS_HANDSHAKES_FAILED, 5) > figures.growth(Counter.TLS_HANDSHAKES, 5),
                    "%.0f handshakes failed within 5 minutes, %.0f were completed",
                    figures.growth(Counter.TLS_HANDSHAKES_FAILED, 5),
                    figures.growth(Counter.TLS_HANDSHAKES, 5))),
    BELFRY_ADDRESSES_FORGOTTEN(
            Severity.WARNING,
            "rate limits of addresses were reset",
            "increase(belfry_addresses_forgotten_total[15m]) > 0",
            0,
            "more addresses than `Limit.RememberedAddresses` have used rates: an attack from many addresses, or the key is too small",
            figures -> grown(figures, 15, "addresses", Counter.ADDRESSES_FORGOTTEN)),
    BELFRY_CONFLATION_OVERFLOW(
            Severity.INFO,
            "conflation is not applied",
            "increase(belfry_conflate_overflows_total[15m]) > 0",
            0,
            "`Limit.ConflatedSubjects` is too small: all messages of further subjects are delivered",
            figures -> grown(figures, 15, "messages", Counter.CONFLATE_OVERFLOWS)),
    BELFRY_KAFKA_MESSAGES_IGNORED(
            Severity.WARNING,
            "messages of other Kafka programs are ignored",
            "increase(belfry_cluster_malformed_total[15m]) + increase(belfry_cluster_misplaced_total[15m]) > 0",
            0,
            "a program that writes to the topics uses invalid subjects as keys, values over `MaxMessageSize`, or another partitioner ([cluster.md](cluster.md#set-up))",
            figures -> grown(figures, 15, "messages", Counter.CLUSTER_MALFORMED, Counter.CLUSTER_MISPLACED)),
    BELFRY_RETAINED_NOT_STORED(
            Severity.WARNING,
            "retained messages are not stored",
            "belfry_cluster_retained_unstored > 0",
            5,
            "`Kafka.RetainedTopic` does not accept writes: a restart of all nodes may lose retained messages; the log has Kafka's reason",
            figures -> when(
                    figures.level(Counter.CLUSTER_RETAINED_UNSTORED) > 0,
                    "%d subjects",
                    figures.level(Counter.CLUSTER_RETAINED_UNSTORED))),
    BELFRY_CLUSTER_BOUNDS(
            Severity.WARNING,
            "limits of the cluster are reached",
            "increase(belfry_cluster_watches_left_out_total[15m]) + increase(belfry_cluster_members_left_out_total[15m]) + increase(belfry_cluster_quiet_subjects_given_up_total[15m]) > 0",
            0,
            "`Kafka.WatchedSubjects`, `Kafka.PresenceMembers` or `Kafka.QuietSubjects` is too small",
            figures -> grown(
                    figures,
                    15,
                    "subjects or sessions",
                    Counter.CLUSTER_WATCHES_LEFT_OUT,
                    Counter.CLUSTER_MEMBERS_LEFT_OUT,
                    Counter.CLUSTER_QUIET_SUBJECTS_GIVEN_UP)),
    BELFRY_KEYS_UNREADABLE(
            Severity.WARNING,
            "keys of tokens cannot be read",
            "increase(belfry_key_failures_total[15m]) > 0",
            0,
            "the previous keys stay in use; the log names the source",
            figures -> grown(figures, 15, "failed reads", Counter.KEY_FAILURES)),
    BELFRY_REFUSALS(
            Severity.WARNING,
            "refusals above their usual level",
            "belfry:refusals:rate5m > 1 + 3 * avg_over_time(belfry:refusals:rate5m[1d] offset 10m)",
            5,
            "more than one refusal per second plus three times the mean of the previous day; the code names the limit or permission",
            figures -> figures.refusals(5).entrySet().stream()
                    .filter(code -> code.getValue() / 300 > 1 + 3 * figures.usualRefusals(code.getKey()))
                    .max(Map.Entry.comparingByValue())
                    .map(code -> "%s: %.1f per second".formatted(code.getKey().text(), code.getValue() / 300))),
    BELFRY_SESSIONS_LOST(
            Severity.WARNING,
            "sessions end unexpectedly",
            "sum by (instance) (rate(belfry_closes_total{code=~\"connection-lost|ping-timeout|slow-consumer\"}[5m])) > 1 + 0.001 * sum by (instance) (belfry_sessions_connected)",
            5,
            "a network problem, or a new client version",
            figures -> {
                Map<Code, Double> closes = figures.closes(5);
                double lost = closes.getOrDefault(Code.CONNECTION_LOST, 0.0)
                        + closes.getOrDefault(Code.PING_TIMEOUT, 0.0)
                        + closes.getOrDefault(Code.SLOW_CONSUMER, 0.0);
                return when(
                        lost / 300 > 1 + 0.001 * figures.sessions(), "%.1f sessions per second are lost", lost / 300);
            }),
    BELFRY_HEAP_FULL(
            Severity.WARNING,
            "the heap is nearly full",
            "sum by (instance) (jvm_memory_used_bytes{area=\"heap\"}) / sum by (instance) (jvm_memory_max_bytes{area=\"heap\"}) > 0.9",
            10,
            "raise `Memory`, or lower `CacheMemory`",
            figures -> when(figures.heapShare() > 0.9, "%.0f %% of the heap is used", 100 * figures.heapShare())),
    BELFRY_FILES_RUN_OUT(
            Severity.WARNING,
            "the limit of open files is nearly reached",
            "process_files_open_files{job=\"belfry\"} / process_files_max_files{job=\"belfry\"} > 0.9",
            0,
            "raise the limit; see `bin/belfry doctor`",
            figures ->
                    when(figures.filesShare() > 0.9, "%.0f %% of the open files are used", 100 * figures.filesShare())),
    BELFRY_CERTIFICATE_EXPIRES(
            Severity.WARNING,
            "the certificate expires soon",
            "belfry_tls_certificate_expires_seconds - time() < 30 * 86400",
            0,
            "the certificate was not renewed, or the new certificate is unusable: see the log",
            figures -> figures.certificateDays().isPresent()
                    ? when(
                            figures.certificateDays().getAsDouble() < 30,
                            "%.0f days are left",
                            Math.floor(figures.certificateDays().getAsDouble()))
                    : Optional.empty()),
    BELFRY_PASSWORDS_GUESSED(
            Severity.WARNING,
            "passwords are being guessed",
            "increase(belfry_monitor_denied_total[10m]) > 10",
            0,
            "the log has the client's address",
            figures -> when(figures.denied(10) > 10, "%.0f wrong passwords within 10 minutes", figures.denied(10)));

    /** How soon an operator should act. */
    public enum Severity {
        /** Clients are affected now. */
        CRITICAL,
        /** Clients will be affected soon, or some clients are affected now. */
        WARNING,
        /** An operator should check a setting. */
        INFO;

        /** Returns the name in rules, documents and JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The rule's condition, evaluated once per second. */
    interface Condition {
        /** Returns the reason if the condition is true. */
        Optional<String> reason(AlertFigures figures);
    }

    private final Severity severity;
    private final String title;
    private final String expression;
    private final int minutes;
    private final String meaning;
    private final Condition condition;

    AlertRule(Severity severity, String title, String expression, int minutes, String meaning, Condition condition) {
        this.severity = severity;
        this.title = title;
        this.expression = expression;
        this.minutes = minutes;
        this.meaning = meaning;
        this.condition = condition;
    }

    /** Returns the name of the alert in Prometheus, such as {@code BelfryDown}. */
    public String alertName() {
        return Arrays.stream(name().split("_", -1))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }

    public Severity severity() {
        return severity;
    }

    public String title() {
        return title;
    }

    /** Returns the condition in the language of Prometheus. */
    public String expression() {
        return expression;
    }

    /** Returns the number of minutes for which the condition must be true. */
    public int minutes() {
        return minutes;
    }

    /** Returns the meaning of the alert and the next step, as Markdown of docs/monitoring.md. */
    public String meaning() {
        return meaning;
    }

    /** Returns the meaning and the next step as plain text, with the names of documents instead of links. */
    public String nextStep() {
        return meaning.replaceAll("\\[([^]]*)]\\([^)]*\\)", "docs/$1").replace("`", "");
    }

    Optional<String> reason(AlertFigures figures) {
        return condition.reason(figures);
    }

    @SuppressWarnings("AnnotateFormatMethod") // The annotation would need a library.
    private static Optional<String> when(boolean holds, String reason, Object... figures) {
        return holds ? Optional.of(String.format(Locale.ROOT, reason, figures)) : Optional.empty();
    }

    private static Optional<String> grown(AlertFigures figures, int minutes, String what, Counter... counters) {
        double growth = 0;
        for (Counter counter : counters) {
            growth += figures.growth(counter, minutes);
        }
        return when(growth > 0, "%.0f %s within %d minutes", growth, what, minutes);
    }

    private static Optional<String> codes(Map<Code, Double> growth, String what) {
        return growth.isEmpty()
                ? Optional.empty()
                : Optional.of(growth.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(code -> "%s: %.0f %s".formatted(code.getKey().text(), code.getValue(), what))
                        .collect(Collectors.joining(", ")));
    }
}
