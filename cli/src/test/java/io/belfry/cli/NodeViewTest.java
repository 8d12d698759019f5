package io.belfry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The screen of {@code belfry top}. */
class NodeViewTest {
    private static final String STATS = """
            {"version": "1.0", "node": "a", "uptimeMillis": 93784000, "connectedSessions": 12345,
             "perSecond": {"sessionsOpened": 2.0, "sessionsClosed": 1.0, "publishesIn": 100.0, "messagesOut": 100000.0,
                           "bytesOut": 12907315.0},
             "counters": {"subjects": 7, "cacheBytes": 20480, "slowSessions": 1, "recoveriesWithGap": 3},
             "latencyMicros": {"p50": 180, "p99": 950, "max": 4103},
             "closes": {"connection-lost": 12, "ping-timeout": 3}, "refusals": {}, "drops": {},
             "slowest": [{"session": "0-1f", "address": "127.0.0.1", "state": "stalled", "policy": "disconnect",
                          "behindBytes": 1048576, "behindMessages": 2000, "subjects": 1, "queuedBytes": 4096,
                          "sinceMillis": 5000}],
             "workgroups": [{"name": "0", "connectedSessions": 12345,
                             "perSecond": {"publishesIn": 100.0, "messagesOut": 100000.0, "bytesOut": 12907315.0},
                             "counters": {"queuedBytes": 4096, "slowSessions": 1},
                             "loopLagMicros": {"p99": 60, "max": 1200}}]}
            """;

    private static JsonNode stats() throws IOException {
        return new JsonMapper().readTree(STATS);
    }

    @Test
    void theScreenShowsNodeWorkgroupsCodesAndSlowSessions() throws IOException {
        NodeView view = new NodeView("http://127.0.0.1:4000", stats(), "ready");
        assertThat(view.text(Integer.MAX_VALUE, 65_000)).isEqualTo("""
                a at http://127.0.0.1:4000, version 1.0, up 1 d 2 h: ready
                sessions 12,345 (+2/s -1/s), in 100 msg/s, out 100,000 msg/s 12.31 MB/s, subjects 7, history 20 KB
                latency p50 0.18 ms, p99 0.95 ms, max 4.10 ms; slow sessions 1, recoveries with a gap 3
                GROUP       SESSIONS      IN/s      OUT/s   OUT MB/s    LAG p99    LAG max    QUEUED    SLOW
                0             12,345       100    100,000      12.31    0.06 ms    1.20 ms   4,096 B       1
                closes: connection-lost 12, ping-timeout 3
                SLOWEST SESSION          ADDRESS               STATE        POLICY          BEHIND   MESSAGES   QUEUED    SINCE
                0-1f                     127.0.0.1             stalled      disconnect    1,024 KB      2,000  4,096 B 1 min 0 s
                """);
    }

    @Test
    void aScreenHasNoMoreLinesThanTheTerminal() throws IOException {
        NodeView view = new NodeView("http://127.0.0.1:4000", stats(), "drain, draining");
        assertThat(view.text(1, 0)).isEqualTo("a at http://127.0.0.1:4000, version 1.0, up 1 d 2 h: drain, draining\n");
    }
}
