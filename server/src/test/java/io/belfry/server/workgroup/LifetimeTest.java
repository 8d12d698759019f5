package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.PublishTerms;
import io.belfry.server.counter.Counter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests messages with a time to live, and what options allow retained messages. */
class LifetimeTest {
    private static final List<String> KINDS = List.of("memory", "disk");

    private static PublishTerms ttl(long millis) {
        return new PublishTerms(false, null, Map.of("k", "v"), millis);
    }

    private static PublishTerms retained(long millis) {
        return new PublishTerms(true, null, Map.of(), millis);
    }

    private static Lanes lanes(String kind, String... more) {
        String[] settings = java.util.Arrays.copyOf(more, more.length + 1);
        settings[more.length] = "History=" + kind;
        return new Lanes(2, 1, settings);
    }

    private static List<ReceivedEvent> gaps(LaneClient client, String subject) {
        return client.received(event -> event.is("gap", subject));
    }

    @Test
    void aLiveMessageHasItsTimeToLiveAsFirstHeader() {
        try (Lanes lanes = lanes("memory")) {
            LaneClient client = lanes.connect();
            client.subscribe("/a");
            lanes.settle();
            lanes.connect().publish("/a", "x", ttl(5000));
            lanes.settle();
            assertThat(client.headers().getFirst().entrySet().toString()).isEqualTo("[$ttl=5000, k=v]");
        }
    }

    @Test
    void aResumedSubscriptionGetsAGapForWhatHasEnded() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind)) {
                LaneClient publisher = lanes.connect();
                publisher.publish("/a", "1");
                publisher.publish("/a", "2", ttl(1000));
                publisher.publish("/a", "3", ttl(1000));
                publisher.publish("/a", "4");
                publisher.publish("/a", "5", ttl(1000));
                publisher.publish("/a", "6", ttl(60_000));
                publisher.publish("/a", "7", ttl(1000));
                lanes.settle();
                lanes.pass(1500);
                LaneClient reader = lanes.connect();
                reader.resume("/a", Lanes.EPOCH, 1);
                lanes.settle();
                assertThat(reader.data("/a")).containsExactly("4", "6");
                assertThat(gaps(reader, "/a"))
                        .hasSize(3)
                        .allSatisfy(gap -> assertThat(gap.note()).isEqualTo(Code.MESSAGE_EXPIRED.text()));
                assertThat(reader.ops().stream().filter(op -> op.equals("gap") || op.equals("message")))
                        .containsExactly("gap", "message", "gap", "message", "gap");
                assertThat(lanes.level(Counter.MESSAGES_EXPIRED)).isEqualTo(4);
                assertThat(lanes.level(Counter.MESSAGES_DROPPED)).isZero();
                publisher.publish("/a", "8");
                lanes.settle();
                assertThat(reader.data("/a")).containsExactly("4", "6", "8");
            }
        }
    }

    @Test
    void aNewSubscriptionGetsNoGapBeforeItsFirstMessage() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind)) {
                LaneClient publisher = lanes.connect();
                publisher.publish("/a", "1", ttl(1000));
                publisher.publish("/a", "2");
                publisher.publish("/a", "3", ttl(1000));
                lanes.settle();
                lanes.pass(1500);
                LaneClient reader = lanes.connect();
                reader.subscribeWithHistory("/a", 10);
                lanes.settle();
                assertThat(reader.ops()).containsExactly("subscribed", "message", "gap");
                assertThat(reader.data("/a")).containsExactly("2");
            }
        }
    }

    @Test
    void aHistoryOfEndedMessagesIsReadInBlocks() {
        try (Lanes lanes = lanes("memory", "CacheSize=100000")) {
            LaneClient publisher = lanes.connect();
            for (int i = 0; i < 50_000; i++) {
                publisher.publish("/a", "", new PublishTerms(false, null, Map.of(), 1000));
                if (i % 1000 == 0) {
                    lanes.settle();
                }
            }
            publisher.publish("/a", "last");
            lanes.settle();
            lanes.pass(1500);
            LaneClient reader = lanes.connect();
            reader.resume("/a", Lanes.EPOCH, 0);
            lanes.settle();
            assertThat(reader.data("/a")).containsExactly("last");
        }
    }

    @Test
    void aStalledSessionGetsAGapForWhatEndsMeanwhile() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind)) {
                LaneClient reader = lanes.connect(0);
                reader.subscribe("/a");
                lanes.settle();
                reader.stall();
                LaneClient publisher = lanes.connect(1);
                publisher.publish("/a", "fills the socket");
                lanes.settle();
                for (int i = 0; i < 5; i++) {
                    publisher.publish("/a", "brief", ttl(1000));
                    publisher.publish("/a", "lasting");
                }
                lanes.settle();
                lanes.pass(1500);
                reader.takeAll();
                lanes.settle();
                List<Long> seqs = reader.seqs("/a");
                assertThat(seqs).contains(11L);
                assertThat(gaps(reader, "/a")).isNotEmpty();
            }
        }
    }

    @Test
    void aPatternThatResumesGetsAGapForWhatHasEnded() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind)) {
                LaneClient first = lanes.connect();
                long id = first.subscribe("/a/*");
                lanes.settle();
                String at = first.answer(id).data();
                LaneClient publisher = lanes.connect();
                publisher.publish("/a/b", "1", ttl(1000));
                publisher.publish("/a/b", "2");
                lanes.settle();
                lanes.pass(1500);
                LaneClient second = lanes.connect();
                second.resumePattern("/a/*", at);
                lanes.settle();
                lanes.pass(100);
                assertThat(second.data("/a/b")).containsExactly("2");
                assertThat(gaps(second, "/a/*")).isNotEmpty();
            }
        }
    }

    @Test
    void aRetainedMessageEndsWithItsTimeToLive() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind)) {
                lanes.connect().publish("/a", "x", retained(1000));
                lanes.settle();
                assertThat(lanes.retainedSeqOf("/a")).isEqualTo(1);
                lanes.pass(900);
                LaneClient early = lanes.connect();
                early.subscribe("/a");
                lanes.settle();
                assertThat(early.data("/a")).containsExactly("x");
                lanes.pass(500);
                LaneClient late = lanes.connect();
                late.subscribe("/a", "/*");
                lanes.settle();
                assertThat(late.data("/a")).isEmpty();
                lanes.pass(200);
                assertThat(lanes.level(Counter.RETAINED_MESSAGES)).isZero();
                assertThat(lanes.retainedSeqOf("/a")).isNull();
            }
        }
    }

    @Test
    void aRetainedMessageIsAsOldAsItsSubjectAllows() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind, "Subjects.1=/a retained-age=1s")) {
                for (String subject : List.of("/a", "/b")) {
                    lanes.connect().publish(subject, "x", retained(0));
                }
                lanes.settle();
                lanes.pass(1200);
                LaneClient late = lanes.connect();
                late.subscribe("/a", "/b");
                lanes.settle();
                assertThat(late.data("/a")).isEmpty();
                assertThat(late.data("/b")).containsExactly("x");
                lanes.pass(200);
                assertThat(lanes.level(Counter.RETAINED_MESSAGES)).isEqualTo(1);
            }
        }
    }

    @Test
    void aSubjectRefusesOrRequiresRetainedMessages() {
        for (String kind : KINDS) {
            try (Lanes lanes =
                    lanes(kind, "Subjects.1=/never retained=refused", "Subjects.2=/always retained=required")) {
                LaneClient publisher = lanes.connect();
                long refused = publisher.publish("/never", "x", retained(0));
                long cleared = publisher.publish("/never", "", retained(0));
                publisher.publish("/always", "1");
                publisher.publish("/always", "2");
                lanes.settle();
                assertThat(publisher.answer(refused).note()).isEqualTo(Code.RETAIN_DENIED.text());
                assertThat(publisher.answer(cleared).op()).isEqualTo("published");
                LaneClient late = lanes.connect();
                late.subscribe("/never", "/always");
                lanes.settle();
                assertThat(late.data("/never")).isEmpty();
                assertThat(late.data("/always")).containsExactly("2");
            }
        }
    }
}
