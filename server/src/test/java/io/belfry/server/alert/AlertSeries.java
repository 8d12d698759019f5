package io.belfry.server.alert;

import java.util.List;

/** Series for the test of each alert: after half an hour the first ones raise it, and the others do not. */
public record AlertSeries(List<String> raising, List<String> harmless) {
    /** Returns the series of a rule. */
    public static AlertSeries of(AlertRule rule) {
        return switch (rule) {
            case BELFRY_DOWN -> new AlertSeries(List.of("up{job='belfry'} 0x60"), List.of("up{job='belfry'} 1x60"));
            case BELFRY_NOT_READY -> new AlertSeries(List.of("belfry_ready 0x60"), List.of("belfry_ready 0x25 1x35"));
            case BELFRY_SLOW_DELIVERIES ->
                new AlertSeries(
                        List.of(
                                "belfry_delivery_latency_seconds_bucket{le='0.2'} 0+90x60",
                                "belfry_delivery_latency_seconds_bucket{le='0.5'} 0+100x60",
                                "belfry_delivery_latency_seconds_bucket{le='+Inf'} 0+100x60"),
                        List.of(
                                "belfry_delivery_latency_seconds_bucket{le='0.2'} 0+100x60",
                                "belfry_delivery_latency_seconds_bucket{le='+Inf'} 0+100x60"));
            case BELFRY_LATE_EVENT_LOOP ->
                new AlertSeries(
                        List.of("belfry_workgroup_loop_lag_recent_seconds{workgroup='0',quantile='0.99'} 0.06x60"),
                        List.of("belfry_workgroup_loop_lag_recent_seconds{workgroup='0',quantile='1.0'} 0.06x60"));
            case BELFRY_CUT_OFF ->
                new AlertSeries(List.of("belfry_cluster_stale 1x60"), List.of("belfry_cluster_stale 0x60"));
            case BELFRY_PUBLISHES_UNKNOWN ->
                new AlertSeries(
                        List.of("belfry_cluster_publishes_unknown_total 0x27 3x33"),
                        List.of("belfry_cluster_publishes_unknown_total 3x60"));
            case BELFRY_LOOP_FAILURE ->
                new AlertSeries(
                        List.of("belfry_loop_failures_total 0x27 1x33"), List.of("belfry_loop_failures_total 1x60"));
            case BELFRY_MESSAGES_DROPPED ->
                new AlertSeries(
                        List.of("belfry_messages_dropped_total{code='slow-consumer'} 0+1x60"),
                        List.of("belfry_messages_dropped_total{code='slow-consumer'} 7x60"));
            case BELFRY_SLOW_READERS ->
                new AlertSeries(
                        List.of("belfry_slow_sessions 20x60", "belfry_sessions_connected 1000x60"),
                        List.of("belfry_slow_sessions 5x60", "belfry_sessions_connected 1000x60"));
            case BELFRY_RECOVERIES_WITH_GAP ->
                new AlertSeries(
                        List.of("belfry_recoveries_with_gap_total 0+1x60"),
                        List.of("belfry_recoveries_with_gap_total 1x60"));
            case BELFRY_HISTORY_TOO_SMALL ->
                new AlertSeries(
                        List.of("belfry_cached_messages_early_total 0+1x60"),
                        List.of("belfry_cached_messages_early_total 1x60"));
            case BELFRY_HISTORY_NOT_WRITTEN ->
                new AlertSeries(List.of("belfry_history_failing 1x60"), List.of("belfry_history_failing 0x60"));
            case BELFRY_PUBLISHERS_SLOWED ->
                new AlertSeries(
                        List.of("belfry_publish_pauses_total 0+1x60"), List.of("belfry_publish_pauses_total 4x60"));
            case BELFRY_SLOW_DECISIONS ->
                new AlertSeries(
                        List.of("belfry_decisions_waiting 101x60", "belfry_decisions_ignored_total 0x60"),
                        List.of("belfry_decisions_waiting 100x60", "belfry_decisions_ignored_total 5x60"));
            case BELFRY_TLS_HANDSHAKES_FAIL ->
                new AlertSeries(
                        List.of("belfry_tls_handshakes_failed_total 0+9x60", "belfry_tls_handshakes_total 0+2x60"),
                        List.of("belfry_tls_handshakes_failed_total 0+2x60", "belfry_tls_handshakes_total 0+9x60"));
            case BELFRY_ADDRESSES_FORGOTTEN ->
                new AlertSeries(
                        List.of("belfry_addresses_forgotten_total 0+1x60"),
                        List.of("belfry_addresses_forgotten_total 1x60"));
            case BELFRY_CONFLATION_OVERFLOW ->
                new AlertSeries(
                        List.of("belfry_conflate_overflows_total 0+1x60"),
                        List.of("belfry_conflate_overflows_total 1x60"));
            case BELFRY_KAFKA_MESSAGES_IGNORED ->
                new AlertSeries(
                        List.of("belfry_cluster_malformed_total 0+1x60", "belfry_cluster_misplaced_total 0x60"),
                        List.of("belfry_cluster_malformed_total 1x60", "belfry_cluster_misplaced_total 0x60"));
            case BELFRY_RETAINED_NOT_STORED ->
                new AlertSeries(
                        List.of("belfry_cluster_retained_unstored 1x60"),
                        List.of("belfry_cluster_retained_unstored 0x60"));
            case BELFRY_CLUSTER_BOUNDS ->
                new AlertSeries(
                        List.of(
                                "belfry_cluster_watches_left_out_total 0+1x60",
                                "belfry_cluster_members_left_out_total 0x60",
                                "belfry_cluster_quiet_subjects_given_up_total 0x60"),
                        List.of(
                                "belfry_cluster_watches_left_out_total 1x60",
                                "belfry_cluster_members_left_out_total 1x60",
                                "belfry_cluster_quiet_subjects_given_up_total 0x60"));
            case BELFRY_KEYS_UNREADABLE ->
                new AlertSeries(List.of("belfry_key_failures_total 0+1x60"), List.of("belfry_key_failures_total 1x60"));
            case BELFRY_REFUSALS ->
                new AlertSeries(
                        List.of("belfry_refusals_total{code='publish-rate'} 0x20 0+600x40"),
                        List.of("belfry_refusals_total{code='publish-rate'} 0+600x60"));
            case BELFRY_SESSIONS_LOST ->
                new AlertSeries(
                        List.of(
                                "belfry_closes_total{code='ping-timeout'} 0+300x60",
                                "belfry_sessions_connected 1000x60"),
                        List.of(
                                "belfry_closes_total{code='ping-timeout'} 0+60x60",
                                "belfry_sessions_connected 1000x60"));
            case BELFRY_HEAP_FULL ->
                new AlertSeries(
                        List.of("jvm_memory_used_bytes{area='heap'} 95x60", "jvm_memory_max_bytes{area='heap'} 100x60"),
                        List.of(
                                "jvm_memory_used_bytes{area='heap'} 85x60",
                                "jvm_memory_max_bytes{area='heap'} 100x60"));
            case BELFRY_FILES_RUN_OUT ->
                new AlertSeries(
                        List.of(
                                "process_files_open_files{job='belfry'} 95x60",
                                "process_files_max_files{job='belfry'} 100x60"),
                        List.of(
                                "process_files_open_files{job='belfry'} 85x60",
                                "process_files_max_files{job='belfry'} 100x60"));
            case BELFRY_CERTIFICATE_EXPIRES ->
                new AlertSeries(
                        List.of("belfry_tls_certificate_expires_seconds 2500000x60"),
                        List.of("belfry_tls_certificate_expires_seconds 2700000x60"));
            case BELFRY_PASSWORDS_GUESSED ->
                new AlertSeries(
                        List.of("belfry_monitor_denied_total 0+5x60"), List.of("belfry_monitor_denied_total 0+0.5x60"));
        };
    }
}
