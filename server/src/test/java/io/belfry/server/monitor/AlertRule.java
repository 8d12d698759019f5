package io.belfry.server.monitor;

import java.util.List;
import java.util.Locale;

/**
 * The situations in which an operator should act, from which docs/monitoring.md and config/prometheus/ are generated.
 * The series of each rule are for its test: after half an hour the first ones raise the alert, and the others do not.
 */
@SuppressWarnings("ImmutableEnumChecker") // The lists are never modified.
enum AlertRule {
    BELFRY_DOWN(
            Severity.CRITICAL,
            "a node is down",
            "up{job=\"belfry\"} == 0",
            "1m",
            "the node is down, or its monitor is unreachable",
            List.of("up{job='belfry'} 0x60"),
            List.of("up{job='belfry'} 1x60")),
    BELFRY_NOT_READY(
            Severity.WARNING,
            "a node is not ready",
            "belfry_ready == 0",
            "10m",
            "load balancers send clients elsewhere, for longer than a drain takes; `/health/ready` states the reason",
            List.of("belfry_ready 0x60"),
            List.of("belfry_ready 0x25 1x35")),
    BELFRY_SLOW_DELIVERIES(
            Severity.WARNING,
            "deliveries are slow",
            "belfry:delivery_latency_seconds:p99_5m > 0.25",
            "5m",
            "check the loop lag: a high lag means the server is slow, a low lag that readers are slow",
            List.of(
                    "belfry_delivery_latency_seconds_bucket{le='0.2'} 0+90x60",
                    "belfry_delivery_latency_seconds_bucket{le='0.5'} 0+100x60",
                    "belfry_delivery_latency_seconds_bucket{le='+Inf'} 0+100x60"),
            List.of(
                    "belfry_delivery_latency_seconds_bucket{le='0.2'} 0+100x60",
                    "belfry_delivery_latency_seconds_bucket{le='+Inf'} 0+100x60")),
    BELFRY_LATE_EVENT_LOOP(
            Severity.WARNING,
            "an event loop is late",
            "max by (instance, workgroup) (belfry_workgroup_loop_lag_recent_seconds{quantile=\"0.99\"}) > 0.05",
            "5m",
            "not enough CPU, or a blocked loop",
            List.of("belfry_workgroup_loop_lag_recent_seconds{workgroup='0',quantile='0.99'} 0.06x60"),
            List.of("belfry_workgroup_loop_lag_recent_seconds{workgroup='0',quantile='1.0'} 0.06x60")),
    BELFRY_CUT_OFF(
            Severity.CRITICAL,
            "a node is cut off from the cluster",
            "belfry_cluster_stale > 0",
            "1m",
            "`/health/ready` states the reason; see [cluster.md](cluster.md)",
            List.of("belfry_cluster_stale 1x60"),
            List.of("belfry_cluster_stale 0x60")),
    BELFRY_PUBLISHES_UNKNOWN(
            Severity.WARNING,
            "publishes of unknown outcome",
            "increase(belfry_cluster_publishes_unknown_total[5m]) > 0",
            "0m",
            "Kafka did not answer in time",
            List.of("belfry_cluster_publishes_unknown_total 0x27 3x33"),
            List.of("belfry_cluster_publishes_unknown_total 3x60")),
    BELFRY_LOOP_FAILURE(
            Severity.CRITICAL,
            "an event loop fails",
            "increase(belfry_loop_failures_total[5m]) > 0",
            "0m",
            "a fault in the server; see the log",
            List.of("belfry_loop_failures_total 0x27 1x33"),
            List.of("belfry_loop_failures_total 1x60")),
    BELFRY_MESSAGES_DROPPED(
            Severity.WARNING,
            "messages are not delivered",
            "sum by (instance, code) (rate(belfry_messages_dropped_total[5m])) > 0",
            "0m",
            "`slow-consumer`: readers are too slow; `history-gone`: clients resumed from messages that are no longer stored",
            List.of("belfry_messages_dropped_total{code='slow-consumer'} 0+1x60"),
            List.of("belfry_messages_dropped_total{code='slow-consumer'} 7x60")),
    BELFRY_SLOW_READERS(
            Severity.WARNING,
            "many slow readers",
            "belfry_slow_sessions > 0.01 * belfry_sessions_connected",
            "5m",
            "a network problem, or one kind of client",
            List.of("belfry_slow_sessions 20x60", "belfry_sessions_connected 1000x60"),
            List.of("belfry_slow_sessions 5x60", "belfry_sessions_connected 1000x60")),
    BELFRY_RECOVERIES_WITH_GAP(
            Severity.WARNING,
            "recoveries with a gap",
            "rate(belfry_recoveries_with_gap_total[15m]) > 0",
            "0m",
            "`CacheSize`, `CacheExpireTime`, `CacheMemory` or `History.DiskBytes` is too small for the time that clients are disconnected",
            List.of("belfry_recoveries_with_gap_total 0+1x60"),
            List.of("belfry_recoveries_with_gap_total 1x60")),
    BELFRY_HISTORY_TOO_SMALL(
            Severity.INFO,
            "the history is too small",
            "rate(belfry_cached_messages_early_total[15m]) > 0",
            "15m",
            "`CacheMemory` or `History.DiskBytes` is too small for `CacheSize` and `CacheExpireTime`; on disk without expiry it only means that the disk's share is full",
            List.of("belfry_cached_messages_early_total 0+1x60"),
            List.of("belfry_cached_messages_early_total 1x60")),
    BELFRY_HISTORY_NOT_WRITTEN(
            Severity.CRITICAL,
            "the history cannot write to disk",
            "belfry_history_failing > 0",
            "1m",
            "publishes are refused with `history-full` or `history-failed`, while readers are served and `/health/ready` stays 200 with a `warning`. Check the log, the free space and the state of the file system; the server resumes automatically",
            List.of("belfry_history_failing 1x60"),
            List.of("belfry_history_failing 0x60")),
    BELFRY_PUBLISHERS_SLOWED(
            Severity.WARNING,
            "publishers are slowed down",
            "rate(belfry_publish_pauses_total[5m]) > 0",
            "5m",
            "`belfry_inbox_bytes` near `Limit.InboxBytes`: the event loops have too much work. `belfry_history_waiting_bytes` near `Limit.HistoryUnsyncedBytes`: the disk is too slow",
            List.of("belfry_publish_pauses_total 0+1x60"),
            List.of("belfry_publish_pauses_total 4x60")),
    BELFRY_SLOW_DECISIONS(
            Severity.WARNING,
            "the entitlement is slow",
            "belfry_decisions_waiting > 100 or increase(belfry_decisions_ignored_total[15m]) > 0",
            "1m",
            "the `Custom` provider or the keys of `JWT` answer late; clients get `decide-timeout`",
            List.of("belfry_decisions_waiting 101x60", "belfry_decisions_ignored_total 0x60"),
            List.of("belfry_decisions_waiting 100x60", "belfry_decisions_ignored_total 5x60")),
    BELFRY_TLS_HANDSHAKES_FAIL(
            Severity.WARNING,
            "TLS handshakes fail",
            "rate(belfry_tls_handshakes_failed_total[5m]) > rate(belfry_tls_handshakes_total[5m])",
            "5m",
            "clients that do not trust the certificate, or a scan",
            List.of("belfry_tls_handshakes_failed_total 0+9x60", "belfry_tls_handshakes_total 0+2x60"),
            List.of("belfry_tls_handshakes_failed_total 0+2x60", "belfry_tls_handshakes_total 0+9x60")),
    BELFRY_ADDRESSES_FORGOTTEN(
            Severity.WARNING,
            "rates of addresses are forgotten",
            "increase(belfry_addresses_forgotten_total[15m]) > 0",
            "0m",
            "more addresses than `Limit.RememberedAddresses` used up rates: an attack from many addresses, or raise the key",
            List.of("belfry_addresses_forgotten_total 0+1x60"),
            List.of("belfry_addresses_forgotten_total 1x60")),
    BELFRY_CONFLATION_OVERFLOW(
            Severity.INFO,
            "conflation is not applied",
            "increase(belfry_conflate_overflows_total[15m]) > 0",
            "0m",
            "`Limit.ConflatedSubjects` is too small: these sessions get every message",
            List.of("belfry_conflate_overflows_total 0+1x60"),
            List.of("belfry_conflate_overflows_total 1x60")),
    BELFRY_KAFKA_MESSAGES_IGNORED(
            Severity.WARNING,
            "messages of other Kafka programs are ignored",
            "increase(belfry_cluster_malformed_total[15m]) + increase(belfry_cluster_misplaced_total[15m]) > 0",
            "0m",
            "a program that writes to the topics uses invalid subjects as keys, values over `MaxMessageSize`, or another partitioner ([cluster.md](cluster.md#set-up))",
            List.of("belfry_cluster_malformed_total 0+1x60", "belfry_cluster_misplaced_total 0x60"),
            List.of("belfry_cluster_malformed_total 1x60", "belfry_cluster_misplaced_total 0x60")),
    BELFRY_RETAINED_NOT_STORED(
            Severity.WARNING,
            "retained messages are not stored",
            "belfry_cluster_retained_unstored > 0",
            "5m",
            "`Kafka.RetainedTopic` does not accept writes: a restart of all nodes may lose them; the log has Kafka's reason",
            List.of("belfry_cluster_retained_unstored 1x60"),
            List.of("belfry_cluster_retained_unstored 0x60")),
    BELFRY_CLUSTER_BOUNDS(
            Severity.WARNING,
            "bounds of the cluster are reached",
            "increase(belfry_cluster_watches_left_out_total[15m]) + increase(belfry_cluster_quiet_subjects_given_up_total[15m]) > 0",
            "0m",
            "`Kafka.WatchedSubjects` or `Kafka.QuietSubjects` is too small",
            List.of(
                    "belfry_cluster_watches_left_out_total 0+1x60",
                    "belfry_cluster_quiet_subjects_given_up_total 0x60"),
            List.of("belfry_cluster_watches_left_out_total 1x60", "belfry_cluster_quiet_subjects_given_up_total 0x60")),
    BELFRY_KEYS_UNREADABLE(
            Severity.WARNING,
            "keys of tokens cannot be read",
            "increase(belfry_key_failures_total[15m]) > 0",
            "0m",
            "the previous keys stay in use; the log names the source",
            List.of("belfry_key_failures_total 0+1x60"),
            List.of("belfry_key_failures_total 1x60")),
    BELFRY_REFUSALS(
            Severity.WARNING,
            "refusals above their usual level",
            "belfry:refusals:rate5m > 1 + 3 * avg_over_time(belfry:refusals:rate5m[1d] offset 10m)",
            "5m",
            "more than one per second and three times those of the day before; the code names the limit or permission",
            List.of("belfry_refusals_total{code='publish-rate'} 0x20 0+600x40"),
            List.of("belfry_refusals_total{code='publish-rate'} 0+600x60")),
    BELFRY_SESSIONS_LOST(
            Severity.WARNING,
            "sessions end unexpectedly",
            "sum by (instance) (rate(belfry_closes_total{code=~\"connection-lost|ping-timeout|slow-consumer\"}[5m])) > 1 + 0.001 * sum by (instance) (belfry_sessions_connected)",
            "5m",
            "a network problem, or a new client version",
            List.of("belfry_closes_total{code='ping-timeout'} 0+300x60", "belfry_sessions_connected 1000x60"),
            List.of("belfry_closes_total{code='ping-timeout'} 0+60x60", "belfry_sessions_connected 1000x60")),
    BELFRY_HEAP_FULL(
            Severity.WARNING,
            "the heap is nearly full",
            "sum by (instance) (jvm_memory_used_bytes{area=\"heap\"}) / sum by (instance) (jvm_memory_max_bytes{area=\"heap\"}) > 0.9",
            "10m",
            "raise `Memory`, or lower `CacheMemory`",
            List.of("jvm_memory_used_bytes{area='heap'} 95x60", "jvm_memory_max_bytes{area='heap'} 100x60"),
            List.of("jvm_memory_used_bytes{area='heap'} 85x60", "jvm_memory_max_bytes{area='heap'} 100x60")),
    BELFRY_FILES_RUN_OUT(
            Severity.WARNING,
            "files run out",
            "process_files_open_files{job=\"belfry\"} / process_files_max_files{job=\"belfry\"} > 0.9",
            "0m",
            "raise the limit; see `bin/belfry doctor`",
            List.of("process_files_open_files{job='belfry'} 95x60", "process_files_max_files{job='belfry'} 100x60"),
            List.of("process_files_open_files{job='belfry'} 85x60", "process_files_max_files{job='belfry'} 100x60")),
    BELFRY_CERTIFICATE_EXPIRES(
            Severity.WARNING,
            "the certificate expires soon",
            "belfry_tls_certificate_expires_seconds - time() < 30 * 86400",
            "0m",
            "it was not renewed, or the new one is unusable: see the log",
            List.of("belfry_tls_certificate_expires_seconds 2500000x60"),
            List.of("belfry_tls_certificate_expires_seconds 2700000x60")),
    BELFRY_PASSWORDS_GUESSED(
            Severity.WARNING,
            "passwords are being guessed",
            "increase(belfry_monitor_denied_total[10m]) > 10",
            "0m",
            "the log has the address",
            List.of("belfry_monitor_denied_total 0+5x60"),
            List.of("belfry_monitor_denied_total 0+0.5x60"));

    enum Severity {
        /** Clients are affected now. */
        CRITICAL,
        /** Clients are affected soon, or some of them. */
        WARNING,
        /** A setting should be looked at. */
        INFO
    }

    final Severity severity;
    final String title;
    final String expression;

    /** Time for which the expression must be true, as Prometheus writes it. */
    final String duration;
    /** The meaning of the alert and the next step, as Markdown. */
    final String meaning;

    final List<String> raising;
    final List<String> harmless;

    AlertRule(
            Severity severity,
            String title,
            String expression,
            String duration,
            String meaning,
            List<String> raising,
            List<String> harmless) {
        this.severity = severity;
        this.title = title;
        this.expression = expression;
        this.duration = duration;
        this.meaning = meaning;
        this.raising = raising;
        this.harmless = harmless;
    }

    /** Returns the name of the alert, {@code BelfryDown}. */
    String alertName() {
        StringBuilder name = new StringBuilder();
        for (String word : name().split("_", -1)) {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return name.toString();
    }

    /** Returns the row of the table in docs/monitoring.md. */
    String row() {
        String wait = duration.equals("0m") ? "" : " for " + duration.replace("m", " m");
        return "| " + title + " | " + severity.name().toLowerCase(Locale.ROOT) + " | `" + expression.replace("|", "\\|")
                + "`" + wait + " | " + meaning + " |";
    }
}
