package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which decisions about slow sessions are reported, under each policy. */
class SlowObserverTest {
    private static List<Code> observe(LaneClient client) {
        List<Code> codes = new ArrayList<>();
        client.lane.parts().slow.places().observe((session, code) -> {
            assertThat(session).isSameAs(client.session);
            // A session that is closed is reported before.
            assertThat(client.socket.closed).isNull();
            codes.add(code);
        });
        return codes;
    }

    private static List<Code> codesOfStalled(boolean takesLater, int messages, String... settings) {
        try (Lanes lanes = new Lanes(2, 1, SlowSessionTest.small(settings))) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.subscribe(subject);
            lanes.settle();
            List<Code> codes = observe(client);
            client.stall();
            for (int i = 0; i < messages; i++) {
                publisher.publish(subject, "x".repeat(900));
                lanes.settle();
            }
            if (takesLater) {
                client.takeAll();
                lanes.settle();
            } else {
                lanes.pass(5_000);
            }
            return codes;
        }
    }

    @Test
    void aSessionThatKeepsUpIsNotReported() {
        assertThat(codesOfStalled(true, 2, "SlowConsumer=drop")).isEmpty();
        assertThat(codesOfStalled(true, 2, "SlowConsumer=disconnect")).isEmpty();
    }

    /** The first report is that of the bound, the second one that of the gap. */
    @Test
    void aSessionWhoseMessagesAreSkippedIsReportedWithItsPolicy() {
        for (String size : new String[] {"CacheSize=1000", "CacheSize=0"}) {
            assertThat(codesOfStalled(true, 9, size, "SlowConsumer=drop"))
                    .as(size)
                    .containsExactly(Code.SLOW_CONSUMER, Code.SLOW_CONSUMER);
            assertThat(codesOfStalled(true, 9, size, "SlowConsumer=conflate"))
                    .as(size)
                    .containsExactly(Code.CONFLATED, Code.CONFLATED);
        }
    }

    @Test
    void aSessionThatIsClosedAsSlowIsReportedOnce() {
        assertThat(codesOfStalled(false, 9, "SlowConsumer=disconnect", "SlowConsumer.Grace=2 s"))
                .containsExactly(Code.SLOW_CONSUMER);
        assertThat(codesOfStalled(false, 9, "SlowConsumer=disconnect", "CacheSize=0"))
                .containsExactly(Code.SLOW_CONSUMER);
        assertThat(codesOfStalled(false, 1, "SlowConsumer=disconnect", "SlowConsumer.Grace=2 s"))
                .containsExactly(Code.SLOW_CONSUMER);
        assertThat(codesOfStalled(false, 1, "SlowConsumer=conflate", "SlowConsumer.Grace=2 s", "PingInterval=1 m"))
                .containsExactly(Code.CONFLATED);
    }
}
