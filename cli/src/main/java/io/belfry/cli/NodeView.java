package io.belfry.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The figures of one node as text for a terminal. Pure.
 *
 * @param monitor the address of its monitor
 * @param stats the object of {@code /stats}
 * @param state {@code ready}, or why the node is not
 */
record NodeView(String monitor, JsonNode stats, String state) {
    private static final String GROUP = "%-9s %10s %9s %10s %10s %10s %10s %9s %7s%n";
    private static final String SESSION = "%-24s %-21s %-12s %-10s %11s %10s %8s %8s%n";

    /** Returns at most this many lines. */
    String text(int linesMax, long nowMillis) {
        StringBuilder out = new StringBuilder();
        head(out);
        out.append(GROUP.formatted(
                "GROUP", "SESSIONS", "IN/s", "OUT/s", "OUT MB/s", "LAG p99", "LAG max", "QUEUED", "SLOW"));
        for (JsonNode group : stats.path("workgroups")) {
            JsonNode rates = group.path("perSecond");
            JsonNode counters = group.path("counters");
            out.append(GROUP.formatted(
                    group.path("name").asText(),
                    count(group.path("connectedSessions")),
                    count(rates.path("publishesIn")),
                    count(rates.path("messagesOut")),
                    megabytes(rates.path("bytesOut")),
                    millis(group.path("loopLagMicros").path("p99")),
                    millis(group.path("loopLagMicros").path("max")),
                    bytes(counters.path("queuedBytes")),
                    count(counters.path("slowSessions"))));
        }
        codes(out, "closes", stats.path("closes"));
        codes(out, "refusals", stats.path("refusals"));
        codes(out, "dropped", stats.path("drops"));
        if (!stats.path("slowest").isEmpty()) {
            sessions(out, nowMillis);
        }
        List<String> lines = out.toString().lines().toList();
        return String.join("\n", lines.subList(0, Math.min(lines.size(), linesMax))) + "\n";
    }

    private void head(StringBuilder out) {
        JsonNode rates = stats.path("perSecond");
        JsonNode latency = stats.path("latencyMicros");
        JsonNode counters = stats.path("counters");
        out.append("%s at %s, version %s, up %s: %s%n"
                .formatted(
                        stats.path("node").asText(),
                        monitor,
                        stats.path("version").asText(),
                        time(stats.path("uptimeMillis").asLong()),
                        state));
        out.append("sessions %s (+%s/s -%s/s), in %s msg/s, out %s msg/s %s MB/s, subjects %s, history %s%n"
                .formatted(
                        count(stats.path("connectedSessions")),
                        count(rates.path("sessionsOpened")),
                        count(rates.path("sessionsClosed")),
                        count(rates.path("publishesIn")),
                        count(rates.path("messagesOut")),
                        megabytes(rates.path("bytesOut")),
                        count(counters.path("subjects")),
                        bytes(counters.path("cacheBytes"))));
        out.append("latency p50 %s, p99 %s, max %s; slow sessions %s, recoveries with a gap %s%n"
                .formatted(
                        millis(latency.path("p50")),
                        millis(latency.path("p99")),
                        millis(latency.path("max")),
                        count(counters.path("slowSessions")),
                        count(counters.path("recoveriesWithGap"))));
    }

    private void sessions(StringBuilder out, long nowMillis) {
        out.append(SESSION.formatted(
                "SLOWEST SESSION", "ADDRESS", "STATE", "POLICY", "BEHIND", "MESSAGES", "QUEUED", "SINCE"));
        for (JsonNode session : stats.path("slowest")) {
            out.append(SESSION.formatted(
                    session.path("session").asText(),
                    session.path("address").asText(),
                    session.path("state").asText(),
                    session.path("policy").asText(),
                    bytes(session.path("behindBytes")),
                    count(session.path("behindMessages")),
                    bytes(session.path("queuedBytes")),
                    time(Math.max(0, nowMillis - session.path("sinceMillis").asLong()))));
        }
    }

    private static void codes(StringBuilder out, String title, JsonNode counts) {
        if (!counts.isEmpty()) {
            List<String> codes = new ArrayList<>();
            for (Map.Entry<String, JsonNode> each : counts.properties()) {
                codes.add(each.getKey() + " " + count(each.getValue()));
            }
            out.append("%s: %s%n".formatted(title, String.join(", ", codes)));
        }
    }

    private static String count(JsonNode number) {
        return String.format(Locale.ROOT, "%,.0f", number.asDouble());
    }

    private static String megabytes(JsonNode bytes) {
        return String.format(Locale.ROOT, "%,.2f", bytes.asDouble() / (1 << 20));
    }

    private static String bytes(JsonNode bytes) {
        double value = bytes.asDouble();
        return value < 10_240
                ? count(bytes) + " B"
                : value < 10 << 20
                        ? String.format(Locale.ROOT, "%,.0f KB", value / 1024)
                        : String.format(Locale.ROOT, "%,.0f MB", value / (1 << 20));
    }

    private static String millis(JsonNode micros) {
        return String.format(Locale.ROOT, "%,.2f ms", micros.asDouble() / 1000);
    }

    /** Returns a time in its two largest units: {@code 2 d 3 h}. */
    private static String time(long millis) {
        Duration time = Duration.ofMillis(millis);
        if (time.toDays() > 0) {
            return time.toDays() + " d " + time.toHoursPart() + " h";
        }
        if (time.toHours() > 0) {
            return time.toHours() + " h " + time.toMinutesPart() + " min";
        }
        return time.toMinutes() > 0
                ? time.toMinutes() + " min " + time.toSecondsPart() + " s"
                : time.toSeconds() + " s";
    }
}
