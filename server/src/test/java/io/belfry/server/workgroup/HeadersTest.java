package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.PublishTerms;
import io.belfry.protocol.WireFormat;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that headers stay with their message on every way through the lanes, and the limits of headers. */
class HeadersTest {
    private static final Map<String, String> HEADERS = headers();
    private static final PublishTerms TERMS = new PublishTerms(false, "id-1", HEADERS);
    private static final PublishTerms RETAINED = new PublishTerms(true, null, HEADERS);
    private static final String LONG = "the same, ".repeat(100);
    private static final WireFormat[] FORMATS = {
        BelfryFormat.WEBSOCKET_JSON,
        BelfryFormat.WEBSOCKET_BINARY,
        BelfryFormat.WEBSOCKET_JSON_DEFLATED,
        BelfryFormat.WEBSOCKET_BINARY_DEFLATED
    };

    private static Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("type", "order");
        headers.put("größe", "\"日本\"\n");
        headers.put("empty", "");
        return Collections.unmodifiableMap(headers);
    }

    private static void assertReceived(LaneClient client, String subject, String... data) {
        assertThat(client.data(subject)).containsExactly(data);
        assertThat(client.headers()).allSatisfy(each -> assertThat(each).isEqualTo(HEADERS));
    }

    @Test
    void liveMessagesHaveTheirHeadersInEveryFormatOnEveryLane() {
        for (String kind : new String[] {"History=memory", "History=disk"}) {
            try (Lanes lanes = new Lanes(3, 1, kind, "Compression=on")) {
                String subject = lanes.subject(1, 0);
                List<LaneClient> clients = new java.util.ArrayList<>();
                for (int lane = 0; lane < 3; lane++) {
                    for (WireFormat format : FORMATS) {
                        clients.add(lanes.connect(lane, format));
                    }
                    clients.add(lanes.connect(lane, null));
                }
                clients.forEach(each -> each.subscribe(subject));
                LaneClient pattern = lanes.connect(2, BelfryFormat.WEBSOCKET_BINARY);
                pattern.subscribe("/**");
                lanes.settle();
                for (int lane = 0; lane < 3; lane++) {
                    LaneClient publisher = lanes.connect(lane);
                    publisher.publish(subject, LONG + lane, new PublishTerms(false, null, HEADERS));
                    lanes.settle();
                }
                clients.add(pattern);
                clients.forEach(each -> assertReceived(each, subject, LONG + 0, LONG + 1, LONG + 2));
            }
        }
    }

    @Test
    void aMessageWithoutHeadersAfterOneWithHeadersHasNone() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            for (WireFormat format : FORMATS) {
                LaneClient client = lanes.connect(0, format);
                client.subscribeWithHistory(subject, 0);
                lanes.settle();
                LaneClient publisher = lanes.connect(0);
                publisher.publish(subject, "a", new PublishTerms(false, null, HEADERS));
                publisher.publish(subject, "b");
                lanes.settle();
                assertThat(client.headers()).containsExactly(HEADERS, Map.of());
                assertThat(client.data(subject)).containsExactly("a", "b");
                client.vanish();
            }
        }
    }

    @Test
    void messagesOfTheHistoryHaveTheirHeaders() {
        for (String kind : new String[] {"History=memory", "History=disk"}) {
            try (Lanes lanes = new Lanes(2, 1, kind)) {
                String subject = lanes.subject(1, 0);
                LaneClient publisher = lanes.connect(0);
                publisher.publish(subject, "a", TERMS);
                publisher.publish(subject, "a", TERMS);
                publisher.publish(subject, "b", new PublishTerms(false, null, HEADERS));
                lanes.settle();
                for (WireFormat format : FORMATS) {
                    LaneClient reader = lanes.connect(0, format);
                    reader.subscribeWithHistory(subject, 10);
                    lanes.settle();
                    assertReceived(reader, subject, "a", "b");
                }
            }
        }
    }

    @Test
    void aSnapshotHasTheHeadersOfTheRetainedMessage() {
        for (String kind : new String[] {"History=memory", "History=disk"}) {
            try (Lanes lanes = new Lanes(2, 1, kind)) {
                String subject = lanes.subject(1, 0);
                LaneClient publisher = lanes.connect(0);
                publisher.publish(subject, "kept", RETAINED);
                lanes.settle();
                LaneClient byName = lanes.connect(0);
                byName.subscribe(subject);
                LaneClient byPattern = lanes.connect(0);
                byPattern.subscribe("/**");
                lanes.settle();
                assertReceived(byName, subject, "kept");
                assertReceived(byPattern, subject, "kept");
                publisher.publish(subject, "", RETAINED);
                lanes.settle();
                LaneClient late = lanes.connect(0);
                late.subscribe(subject);
                lanes.settle();
                assertThat(late.data(subject)).as("empty data clears").isEmpty();
            }
        }
    }

    @Test
    void slowAndConflatingSessionsReceiveHeaders() {
        for (String history : new String[] {"CacheSize=1000", "CacheSize=0"}) {
            try (Lanes lanes = new Lanes(
                    2, 1, history, "SlowConsumer=conflate", "MaxMessageSize=2 KB", "SlowConsumer.MaxBytes=2 KB")) {
                String subject = lanes.subject(1, 0);
                LaneClient slow = lanes.connect(0);
                slow.subscribe(subject);
                LaneClient conflating = lanes.connect(0);
                conflating.conflate(subject, 300);
                lanes.settle();
                slow.stall();
                LaneClient publisher = lanes.connect(1);
                for (int i = 0; i < 5; i++) {
                    publisher.publish(subject, LONG + i, new PublishTerms(false, null, HEADERS));
                    lanes.settle();
                }
                lanes.pass(300);
                slow.takeAll();
                lanes.settle();
                assertReceived(conflating, subject, LONG + 0, LONG + 4);
                assertThat(slow.data(subject)).endsWith(LONG + 4);
                assertThat(slow.headers()).isNotEmpty().allMatch(HEADERS::equals);
            }
        }
    }

    @Test
    void aResumedPatternReceivesHeaders() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/a/*");
            lanes.settle();
            String position = client.received(each -> each.is("subscribed", "/a/*"))
                    .getFirst()
                    .data();
            client.vanish();
            lanes.connect(1).publish("/a/b", "x", TERMS);
            lanes.settle();
            LaneClient again = lanes.connect(0);
            again.resumePattern("/a/*", position);
            lanes.settle();
            assertReceived(again, "/a/b", "x");
        }
    }

    @Test
    void headersOverALimitAreRefusedAndTheSessionContinues() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.Headers=2", "Limit.HeaderBytes=20", "MaxMessageSize=30")) {
            for (WireFormat format : FORMATS) {
                LaneClient client = lanes.connect(0, format);
                client.subscribe("/a");
                long many = client.publish("/a", "", with(Map.of("a", "", "b", "", "c", "")));
                long large = client.publish("/a", "", with(Map.of("a", "x".repeat(17))));
                long fits = client.publish("/a", "", with(Map.of("a", "x".repeat(16))));
                long reserved = client.publish("/a", "", with(Map.of("$a", "")));
                long whole = client.publish("/a", "y".repeat(12), with(Map.of("a", "x".repeat(13))));
                lanes.settle();
                assertThat(List.of(many, large, reserved))
                        .allSatisfy(id -> assertThat(client.answer(id).note()).isEqualTo("bad-headers"));
                assertThat(client.answer(fits).op()).isEqualTo("published");
                assertThat(client.answer(whole).note()).isEqualTo("message-too-large");
                assertThat(client.data("/a")).hasSize(1);
                client.vanish();
            }
            assertThat(lanes.counters.refusals(Code.BAD_HEADERS)).isEqualTo(3L * FORMATS.length);
        }
    }

    @Test
    void noHeadersAreAllowedWithALimitOfZero() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.Headers=0")) {
            LaneClient client = lanes.connect(0);
            long refused = client.publish("/a", "x", with(Map.of("a", "b")));
            long plain = client.publish("/a", "x", with(Map.of()));
            lanes.settle();
            assertThat(client.answer(refused).note()).isEqualTo("bad-headers");
            assertThat(client.answer(plain).op()).isEqualTo("published");
        }
    }

    @Test
    void theLimitOfBytesIncludesThreeForEachHeader() {
        assertThat(MessageHeaders.PAIR_BYTES).isEqualTo(3);
    }

    private static PublishTerms with(Map<String, String> headers) {
        return new PublishTerms(false, null, headers);
    }
}
