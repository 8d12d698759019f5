package io.belfry.server.monitor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Stream;

/** The Grafana board in config/grafana/, generated from the rows and panels below. */
final class GrafanaBoard {
    private static final String NODES = "{instance=~\"$instance\"}";
    private static final int COLUMNS = 24;
    private static final int WIDTH = 8;
    private static final int HEIGHT = 7;

    /** A query and the legend of its lines. */
    private record Query(String expression, String legend) {}

    /** A panel; the unit is one of Grafana's. */
    private record Panel(String title, String unit, String description, List<Query> queries) {}

    private record Row(String title, boolean collapsed, List<Panel> panels) {}

    private static final List<Row> ROWS = List.of(
            new Row(
                    "Overview",
                    false,
                    List.of(
                            panel("Sessions", "short", "Sessions open now.", gauge("belfry_sessions_connected")),
                            panel(
                                    "Messages",
                                    "ops",
                                    "Publish commands received and messages handed to sockets, per second.",
                                    rate("belfry_publishes_in_total", "{{instance}} in"),
                                    rate("belfry_messages_out_total", "{{instance}} out")),
                            panel(
                                    "Traffic",
                                    "Bps",
                                    "Bytes from and to clients' sockets.",
                                    rate("belfry_bytes_in_total", "{{instance}} in"),
                                    rate("belfry_bytes_out_total", "{{instance}} out")),
                            panel(
                                    "Delivery latency",
                                    "s",
                                    "From publish received to last byte handed to the socket, at the median, p99 and p99.9.",
                                    quantile("0.5"),
                                    quantile("0.99"),
                                    quantile("0.999")),
                            panel(
                                    "Deliveries by latency",
                                    "s",
                                    "How many deliveries took how long.",
                                    new Query(
                                            "sum by (le) (rate(belfry_delivery_latency_seconds_bucket" + NODES
                                                    + "[$__rate_interval]))",
                                            "{{le}}")),
                            panel(
                                    "Ready",
                                    "short",
                                    "1 while clients may be sent to the node; stale: cut off from the cluster.",
                                    new Query("belfry_ready" + NODES, "{{instance}} ready"),
                                    new Query("belfry_cluster_stale" + NODES, "{{instance}} stale")))),
            new Row(
                    "Clients",
                    false,
                    List.of(
                            panel(
                                    "Sessions opened and closed",
                                    "ops",
                                    "Per second.",
                                    rate("belfry_sessions_opened_total", "{{instance}} opened"),
                                    rate("belfry_sessions_closed_total", "{{instance}} closed")),
                            panel(
                                    "Closes by code",
                                    "ops",
                                    "Why connections and sessions ended.",
                                    byCode("belfry_closes_total")),
                            panel(
                                    "Refusals by code",
                                    "ops",
                                    "Errors answered to clients.",
                                    byCode("belfry_refusals_total")),
                            panel("Slow sessions", "short", "Sessions behind now.", gauge("belfry_slow_sessions")),
                            panel(
                                    "Dropped and conflated messages",
                                    "ops",
                                    "Messages that sessions did not receive, by code.",
                                    byCode("belfry_messages_dropped_total"),
                                    byCode("belfry_messages_conflated_total")),
                            panel(
                                    "Recoveries",
                                    "ops",
                                    "Resumed subscriptions that missed nothing, and those with a gap.",
                                    rate("belfry_recoveries_complete_total", "{{instance}} complete"),
                                    rate("belfry_recoveries_with_gap_total", "{{instance}} with gap")))),
            new Row(
                    "Event loops",
                    true,
                    List.of(
                            panel(
                                    "Lag of the event loops",
                                    "s",
                                    "How late a tick came within the last minute: p99 and maximum.",
                                    new Query(
                                            "belfry_workgroup_loop_lag_recent_seconds{instance=~\"$instance\",quantile=~\"0.99|1.0\"}",
                                            "{{instance}} {{workgroup}} {{quantile}}")),
                            panel(
                                    "Bytes between event loops",
                                    "bytes",
                                    "Handed to an event loop and not yet processed.",
                                    gauge("belfry_inbox_bytes")),
                            panel(
                                    "Bytes that sockets did not accept",
                                    "bytes",
                                    "Waiting for the clients' sockets.",
                                    gauge("belfry_queued_bytes")),
                            panel(
                                    "Messages out by workgroup",
                                    "ops",
                                    "Whether the work is distributed evenly.",
                                    rate("belfry_workgroup_messages_out_total", "{{instance}} {{workgroup}}")),
                            panel(
                                    "Pauses of publishers",
                                    "ops",
                                    "Reading from a publisher paused because of a bound.",
                                    rate("belfry_publish_pauses_total", "{{instance}}")))),
            new Row(
                    "Subjects and history",
                    true,
                    List.of(
                            panel(
                                    "Subjects and subscriptions",
                                    "short",
                                    "Held now.",
                                    new Query("belfry_subjects" + NODES, "{{instance}} subjects"),
                                    new Query("belfry_subscriptions" + NODES, "{{instance}} subscriptions")),
                            panel("History", "bytes", "In memory or on disk.", gauge("belfry_cache_bytes")),
                            panel("Messages in history", "short", "Held now.", gauge("belfry_cached_messages")),
                            panel("Retained messages", "short", "Held now.", gauge("belfry_retained_messages")),
                            panel(
                                    "Disk writes",
                                    "s",
                                    "Mean time of a batch written to the history on disk.",
                                    new Query(
                                            "rate(belfry_history_write_micros_total" + NODES
                                                    + "[$__rate_interval]) / 1e6 / rate(belfry_history_batches_total"
                                                    + NODES + "[$__rate_interval])",
                                            "{{instance}}")),
                            panel(
                                    "History that cannot be written",
                                    "short",
                                    "Event loops that refuse publishes now.",
                                    gauge("belfry_history_failing")))),
            new Row(
                    "Cluster",
                    true,
                    List.of(
                            panel(
                                    "Lag",
                                    "short",
                                    "Messages of the cluster's log that a node has not read.",
                                    gauge("belfry_cluster_lag")),
                            panel(
                                    "Lag by partition",
                                    "short",
                                    "The same for each partition.",
                                    new Query("belfry_cluster_partition_lag" + NODES, "{{instance}} {{partition}}")),
                            panel(
                                    "Publishes of unknown outcome",
                                    "ops",
                                    "Kafka did not answer in time.",
                                    rate("belfry_cluster_publishes_unknown_total", "{{instance}}")),
                            panel(
                                    "Messages read from Kafka",
                                    "ops",
                                    "Those of the node included.",
                                    rate("belfry_cluster_read_total", "{{instance}}")))),
            new Row(
                    "Process",
                    true,
                    List.of(
                            panel("CPU", "percentunit", "Share of all processors.", gauge("process_cpu_usage")),
                            panel(
                                    "Heap",
                                    "bytes",
                                    "Used and maximum.",
                                    new Query(
                                            "sum by (instance) (jvm_memory_used_bytes{area=\"heap\",instance=~\"$instance\"})",
                                            "{{instance}} used"),
                                    new Query(
                                            "sum by (instance) (jvm_memory_max_bytes{area=\"heap\",instance=~\"$instance\"})",
                                            "{{instance}} maximum")),
                            panel(
                                    "Open files",
                                    "short",
                                    "Each connection needs one.",
                                    gauge("process_files_open_files")),
                            panel(
                                    "TLS handshakes",
                                    "ops",
                                    "Completed and failed.",
                                    rate("belfry_tls_handshakes_total", "{{instance}} completed"),
                                    rate("belfry_tls_handshakes_failed_total", "{{instance}} failed")))));

    private GrafanaBoard() {}

    private static Panel panel(String title, String unit, String description, Query... queries) {
        return new Panel(title, unit, description, List.of(queries));
    }

    private static Query gauge(String metric) {
        return new Query(metric + NODES, "{{instance}}");
    }

    private static Query rate(String metric, String legend) {
        return new Query("rate(" + metric + NODES + "[$__rate_interval])", legend);
    }

    private static Query byCode(String metric) {
        return new Query(
                "sum by (code) (rate(" + metric + NODES + "[$__rate_interval])) > 0",
                metric.equals("belfry_messages_conflated_total") ? "conflated {{code}}" : "{{code}}");
    }

    private static Query quantile(String quantile) {
        return new Query(
                "histogram_quantile(" + quantile
                        + ", sum by (instance, le) (rate(belfry_delivery_latency_seconds_bucket" + NODES
                        + "[$__rate_interval])))",
                "{{instance}} p" + quantile.substring(2) + (quantile.equals("0.5") ? "0" : ""));
    }

    /** Returns the expressions of all panels. */
    static List<String> expressions() {
        return ROWS.stream()
                .flatMap(row -> row.panels().stream())
                .flatMap(panel -> panel.queries().stream())
                .map(Query::expression)
                .toList();
    }

    static String json() {
        ObjectNode board = JsonNodeFactory.instance.objectNode();
        board.put("title", "Belfry")
                .put("uid", "belfry")
                .put("description", "Sessions, messages, latency and limits of Belfry nodes.")
                .put("schemaVersion", 39)
                .put("version", 1)
                .put("editable", true)
                .put("refresh", "15s")
                .put("graphTooltip", 1);
        board.putArray("tags").add("belfry");
        board.putObject("time").put("from", "now-1h").put("to", "now");
        variables(board.putObject("templating").putArray("list"));
        ArrayNode panels = board.putArray("panels");
        int id = 1;
        int y = 0;
        for (Row row : ROWS) {
            ObjectNode heading = panels.addObject();
            heading.put("id", id++).put("type", "row").put("title", row.title()).put("collapsed", row.collapsed());
            place(heading, 0, y++, COLUMNS, 1);
            // A collapsed row contains its panels; an open one is followed by them.
            ArrayNode within = heading.putArray("panels");
            ArrayNode list = row.collapsed() ? within : panels;
            for (int i = 0; i < row.panels().size(); i++) {
                Panel panel = row.panels().get(i);
                ObjectNode node = list.addObject();
                node.put("id", id++);
                fill(node, panel);
                place(node, i * WIDTH % COLUMNS, y + i * WIDTH / COLUMNS * HEIGHT, WIDTH, HEIGHT);
            }
            y += (row.panels().size() * WIDTH + COLUMNS - 1) / COLUMNS * HEIGHT;
        }
        return board.toPrettyString() + "\n";
    }

    private static void variables(ArrayNode list) {
        list.addObject()
                .put("name", "datasource")
                .put("label", "Data source")
                .put("type", "datasource")
                .put("query", "prometheus");
        ObjectNode instance = list.addObject();
        instance.put("name", "instance")
                .put("label", "Node")
                .put("type", "query")
                .put("query", "label_values(belfry_build, instance)")
                .put("refresh", 2)
                .put("sort", 1)
                .put("multi", true)
                .put("includeAll", true)
                .put("allValue", ".*");
        source(instance);
        instance.putObject("current").put("text", "All").put("value", "$__all");
    }

    private static void source(ObjectNode node) {
        node.putObject("datasource").put("type", "prometheus").put("uid", "${datasource}");
    }

    private static void place(ObjectNode node, int x, int y, int width, int height) {
        node.putObject("gridPos").put("x", x).put("y", y).put("w", width).put("h", height);
    }

    private static void fill(ObjectNode node, Panel panel) {
        boolean heat = panel.title().equals("Deliveries by latency");
        node.put("type", heat ? "heatmap" : "timeseries")
                .put("title", panel.title())
                .put("description", panel.description());
        source(node);
        ObjectNode defaults = node.putObject("fieldConfig").putObject("defaults");
        if (heat) {
            ObjectNode options = node.putObject("options").put("calculate", false);
            options.putObject("yAxis").put("unit", panel.unit());
            options.putObject("color").put("mode", "scheme").put("scheme", "Blues");
        } else {
            defaults.put("unit", panel.unit()).put("min", 0);
            ObjectNode options = node.putObject("options");
            options.putObject("legend").put("displayMode", "list").put("placement", "bottom");
            options.putObject("tooltip").put("mode", "multi");
        }
        ArrayNode targets = node.putArray("targets");
        List<Query> queries = panel.queries();
        for (int i = 0; i < queries.size(); i++) {
            targets.addObject()
                    .put("refId", String.valueOf((char) ('A' + i)))
                    .put("expr", queries.get(i).expression())
                    .put("legendFormat", queries.get(i).legend())
                    .put("format", heat ? "heatmap" : "time_series");
        }
    }

    /** Returns all titles, which must differ. */
    static List<String> titles() {
        return ROWS.stream()
                .flatMap(row -> Stream.concat(
                        Stream.of(row.title()), row.panels().stream().map(Panel::title)))
                .toList();
    }
}
