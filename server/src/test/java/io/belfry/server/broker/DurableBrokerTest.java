package io.belfry.server.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.DurableHistory;
import io.belfry.server.history.History;
import io.belfry.server.history.LogBatch;
import io.belfry.server.history.LogStore;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DurableBrokerTest implements Broker.Events, LogStore {
    private static final long EPOCH = 3;
    private static final Outcome WRITTEN = new Outcome.Written(Map.of(), 1000, false);
    private static final Outcome FULL = new Outcome.Failed(new IOException("No space left on device"));

    private final List<String> events = new ArrayList<>();
    private final List<Consumer<Outcome>> underWay = new ArrayList<>();
    private final Retained retained = new Retained(EPOCH, 250);
    private final DurableHistory history = new DurableHistory(
            EPOCH,
            new History.Bounds(100, 100_000),
            new DurableHistory.Sizes(4096, 1 << 20, Integer.MAX_VALUE, false),
            retained,
            List.of());
    private final LoopCounters counters = new LoopCounters();
    private final DurableBroker broker = new DurableBroker(EPOCH, history, retained, this, counters, this);
    private long now = 1000;

    @AfterEach
    void end() {
        history.close();
    }

    @Override
    public void onMessage(int subject, MessageView m, long receivedNanos) {
        events.add(
                "message " + m.seq() + " " + m.data().toString(m.dataOffset(), m.dataLength(), StandardCharsets.UTF_8));
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
        events.add("taken back " + subject);
    }

    @Override
    public void write(LogBatch batch, Consumer<Outcome> done) {
        underWay.add(done);
    }

    @Override
    public Outcome await() {
        return WRITTEN;
    }

    @Override
    public void close() {
        events.add("closed");
    }

    private void publish(long command, String id, String data, boolean retain) {
        ByteBuf buffer = Unpooled.wrappedBuffer((id + data).getBytes(StandardCharsets.UTF_8));
        broker.publish(
                1,
                new SubjectKey(0).set("/s".getBytes(StandardCharsets.UTF_8)),
                new Publication()
                        .from(0, 1, command, 0)
                        .content(buffer, id.length(), data.length(), 0, id.length(), retain),
                now);
    }

    private void ends(Outcome outcome) {
        underWay.removeFirst().accept(outcome);
    }

    private int readable() {
        List<Long> seqs = new ArrayList<>();
        broker.history().read(1, 0, Integer.MAX_VALUE, new MessageView(), now, message -> seqs.add(message.seq()));
        return seqs.size();
    }

    @Test
    void messagesAreDeliveredInOrderOnceTheyAreStored() {
        broker.onCreated(1);
        publish(10, "", "a", false);
        publish(11, "", "b", true);
        broker.endTurn(now);
        publish(12, "", "c", false);
        broker.endTurn(now);
        assertThat(events).isEmpty();
        assertThat(broker.seq(1)).isZero();
        assertThat(readable()).isZero();
        assertThat(retained.has(1)).isFalse();
        assertThat(underWay).as("one batch at a time").hasSize(1);
        ends(WRITTEN);
        assertThat(events).containsExactly("accepted 10 1", "message 1 a", "accepted 11 2", "message 2 b");
        assertThat(broker.seq(1)).isEqualTo(2);
        assertThat(readable()).isEqualTo(2);
        assertThat(retained.seq(1)).isEqualTo(2);
        broker.endTurn(now);
        ends(WRITTEN);
        assertThat(events.subList(4, 6)).containsExactly("accepted 12 3", "message 3 c");
        assertThat(broker.waitingBytes()).isZero();
    }

    @Test
    void aRepeatedPublishIsAnsweredWhenTheFirstIsStored() {
        broker.onCreated(1);
        publish(10, "id", "a", false);
        publish(11, "id", "a", false);
        broker.endTurn(now);
        assertThat(events).isEmpty();
        ends(WRITTEN);
        publish(12, "id", "a", false);
        assertThat(events).containsExactly("accepted 10 1", "message 1 a", "accepted 11 1", "accepted 12 1");
        assertThat(counters.value(Counter.PUBLISHES_DUPLICATE)).isEqualTo(2);
    }

    @Test
    void anUnwritablePublishIsRefusedAndItsSeqReused() {
        broker.onCreated(1);
        publish(10, "id", "a", true);
        publish(11, "id", "a", false);
        broker.endTurn(now);
        publish(12, "", "b", false);
        ends(FULL);
        assertThat(events)
                .containsExactly(
                        "refused 10 HISTORY_FULL",
                        "refused 11 HISTORY_FULL",
                        "refused 12 HISTORY_FULL",
                        "taken back 1");
        assertThat(counters.value(Counter.HISTORY_FAILING)).isEqualTo(1);
        assertThat(retained.has(1)).isFalse();
        events.clear();
        publish(13, "", "c", false);
        broker.endTurn(now + 999);
        assertThat(events).containsExactly("refused 13 HISTORY_FULL");
        assertThat(underWay).as("retried only after a second").isEmpty();
        now += 1000;
        broker.endTurn(now);
        ends(WRITTEN);
        assertThat(counters.value(Counter.HISTORY_FAILING)).isZero();
        publish(14, "id", "a", false);
        broker.endTurn(now);
        ends(WRITTEN);
        assertThat(events.subList(1, 3)).containsExactly("accepted 14 1", "message 1 a");
    }

    @Test
    void otherFailuresHaveTheirOwnCode() {
        broker.onCreated(1);
        publish(10, "", "a", false);
        broker.endTurn(now);
        ends(new Outcome.Failed(new IOException("Input/output error")));
        assertThat(events.getFirst()).isEqualTo("refused 10 HISTORY_FAILED");
        assertThat(counters.value(Counter.HISTORY_FAILURES)).isEqualTo(1);
    }

    @Test
    void pendingRetainedMessagesCountTowardsTheBound() {
        broker.onCreated(1);
        publish(10, "", "x".repeat(100), true);
        publish(11, "", "x".repeat(100), true);
        assertThat(events).containsExactly("refused 11 RETAINED_FULL");
        broker.endTurn(now);
        ends(WRITTEN);
        publish(12, "", "x".repeat(100), true);
        broker.endTurn(now);
        ends(WRITTEN);
        assertThat(events.subList(3, 4)).containsExactly("accepted 12 2");
    }

    @Test
    void aRestingStoreReceivesTheNextBatchAfterItsRest() {
        broker.onCreated(1);
        publish(10, "", "a", false);
        broker.endTurn(now);
        Consumer<Outcome> done = underWay.removeFirst();
        done.accept(new Outcome.Written(Map.of(), 1000, true));
        publish(11, "", "b", false);
        broker.endTurn(now);
        assertThat(underWay).isEmpty();
        done.accept(new Outcome.Rested());
        broker.endTurn(now);
        assertThat(underWay).hasSize(1);
    }

    @Test
    void waitingPublishesAreWrittenAtTheClose() {
        broker.onCreated(1);
        publish(10, "", "a", false);
        broker.endTurn(now);
        publish(11, "", "b", false);
        assertThat(broker.close()).isTrue();
        assertThat(underWay).hasSize(2);
        assertThat(events).containsExactly("closed");
    }

    @Test
    void aRecreatedSubjectBeginsAboveForgottenSeqs() {
        broker.onCreated(1);
        publish(10, "", "a", false);
        publish(11, "", "b", false);
        broker.endTurn(now);
        ends(WRITTEN);
        broker.onForgotten(1);
        broker.onCreated(1);
        assertThat(broker.seq(1)).isEqualTo(2);
    }
}
