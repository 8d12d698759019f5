package io.belfry.server.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.History;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LocalBrokerTest implements Broker.Events {
    private static final long EPOCH = 3;

    private final List<String> events = new ArrayList<>();
    private final History history = new History(EPOCH, 100, 1000, 1024, 1 << 20);
    private final LoopCounters counters = new LoopCounters();
    private final LocalBroker broker = new LocalBroker(EPOCH, history, new Retained(EPOCH, 200), counters, this);

    @AfterEach
    void close() {
        history.close();
    }

    @Override
    public void onMessage(int subject, MessageView m, long receivedNanos) {
        String data = m.data().toString(m.dataOffset(), m.dataLength(), StandardCharsets.UTF_8);
        events.add("message " + subject + " " + m.epoch() + ":" + m.seq() + " " + data
                + (m.retained() ? " retained" : ""));
        assertThat(broker.history().oldestSeq(subject, 0, m.timeMillis()))
                .as("the message is already in the history")
                .isPositive();
    }

    @Override
    public void onAccepted(Publication publication, long seq) {
        events.add("accepted " + publication.commandId() + " " + seq);
    }

    @Override
    public void onRefused(int subject, Publication publication, Code code, String reason) {
        events.add("refused " + publication.commandId() + " " + code);
    }

    @Override
    public void onTakenBack(int subject) {
        throw new AssertionError("a history in memory rolls nothing back");
    }

    private void publish(int subject, long command, String id, String data, boolean retain, long now) {
        ByteBuf buffer = Unpooled.wrappedBuffer((id + data).getBytes(StandardCharsets.UTF_8));
        broker.publish(
                subject,
                new SubjectKey(0),
                new Publication()
                        .from(0, 1, command, 0)
                        .content(buffer, id.length(), data.length(), 0, id.length(), retain),
                now);
    }

    @Test
    void theSeqOfEachSubjectGrowsByOne() {
        broker.onCreated(1);
        broker.onCreated(2);
        publish(1, 10, "", "a", false, 0);
        publish(2, 11, "", "b", false, 0);
        publish(1, 12, "", "c", true, 0);
        assertThat(events)
                .containsExactly(
                        "accepted 10 1",
                        "message 1 3:1 a",
                        "accepted 11 1",
                        "message 2 3:1 b",
                        "accepted 12 2",
                        "message 1 3:2 c retained");
        assertThat(broker.seq(1)).isEqualTo(2);
    }

    @Test
    void aRepeatedMessageIdIsNotDeliveredAgain() {
        broker.onCreated(1);
        publish(1, 10, "id", "a", false, 0);
        publish(1, 11, "id", "a", false, 1000);
        assertThat(events).containsExactly("accepted 10 1", "message 1 3:1 a", "accepted 11 1");
        assertThat(counters.value(Counter.PUBLISHES_DUPLICATE)).isEqualTo(1);
        publish(1, 12, "id", "a", false, 1001);
        assertThat(events).endsWith("accepted 12 2", "message 1 3:2 a");
    }

    @Test
    void aRetainedPublishOverTheBoundIsRefusedWithoutASeq() {
        broker.onCreated(1);
        publish(1, 10, "", "x".repeat(105), true, 0);
        assertThat(events).containsExactly("refused 10 RETAINED_FULL");
        assertThat(broker.seq(1)).isZero();
        publish(1, 11, "", "", true, 0);
        assertThat(events).contains("accepted 11 1");
    }

    @Test
    void aRecreatedSubjectStartsAboveForgottenSeqs() {
        broker.onCreated(1);
        broker.onCreated(2);
        for (int i = 0; i < 5; i++) {
            publish(1, i, "", "x", false, 0);
        }
        publish(2, 9, "", "x", false, 0);
        broker.onForgotten(1);
        broker.onForgotten(2);
        broker.onCreated(2);
        assertThat(broker.seq(2)).isEqualTo(5);
        publish(2, 10, "", "y", false, 0);
        assertThat(events).endsWith("accepted 10 6", "message 2 3:6 y");
    }
}
