package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.CommandHandler;
import io.belfry.server.broker.Backbone;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.LocalBroker;
import io.belfry.server.broker.Publication;
import io.belfry.server.history.History;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests clients that come from another node and resume at a position that this node has not read yet. */
class LateJoinsTest {
    private static final long NOW = new ManualClock().millis();

    private final Node node = new Node();
    private final Lanes lanes = new Lanes(1, 1, node, "CacheSize=10");

    /** Returns the events that a client received for the subject, in order. */
    private List<String> received(LaneClient client) {
        return client.received(event -> event.subject().equals("/a")).stream()
                .map(event -> event.isMessage() ? event.data() : event.op() + " " + event.note())
                .toList();
    }

    @Test
    void messagesAlreadyReadAreDeliveredBeforeTheAnswer() {
        try (lanes) {
            LaneClient client = lanes.connect(0);
            for (String data : List.of("one", "two", "three")) {
                node.runOnLoop(() -> {
                    lanes.clock.pass(3);
                    node.deliver(data);
                });
            }
            node.readTo = 2;
            client.resume("/a", Lanes.EPOCH, 2);
            lanes.settle();
            node.runOnLoop(() -> node.deliver("four"));
            lanes.settle();
            assertThat(received(client)).containsExactly("subscribed complete", "three", "four");
        }
    }

    @Test
    void aClientAheadOfTheNodeReceivesAGapAfterATimeout() {
        try (lanes) {
            LaneClient client = lanes.connect(0);
            client.resume("/a", Lanes.EPOCH, 2);
            lanes.passShortly(4500);
            assertThat(received(client)).isEmpty();
            lanes.passShortly(1000);
            assertThat(received(client)).containsExactly("subscribed gap", "gap epoch-changed");
        }
    }

    @Test
    void aResumeWaitsForTheNodeToReachItsPosition() {
        try (lanes) {
            LaneClient client = lanes.connect(0);
            client.resume("/a", Lanes.EPOCH, 1);
            lanes.passShortly(500);
            assertThat(received(client)).isEmpty();
            node.runOnLoop(() -> node.deliver("one"));
            node.runOnLoop(() -> node.deliver("two"));
            node.readTo = 2;
            lanes.passShortly(100);
            assertThat(received(client)).containsExactly("subscribed complete", "two");
        }
    }

    /** A cluster node on which the test plays the reading thread. */
    @SuppressWarnings("NullAway.Init") // the lane is assigned when the broker is created
    private static final class Node implements Backbone, Broker {
        private Backbone.Lane lane;
        private LocalBroker broker;
        private long readTo;

        @Override
        public Broker broker(Backbone.Lane at, Cache cache) {
            lane = at;
            broker = new LocalBroker(Lanes.EPOCH, cache.history(), cache.retained(), at.counters(), at.events());
            return this;
        }

        void runOnLoop(Runnable task) {
            lane.loop().run(task);
        }

        /** Delivers the next message. */
        void deliver(String data) {
            ByteBuf bytes = Unpooled.copiedBuffer(data, StandardCharsets.UTF_8);
            SubjectKey subject = lane.key().set("/a".getBytes(StandardCharsets.UTF_8));
            Publication message = new Publication()
                    .from(0, 0, CommandHandler.NO_ID, 0)
                    .content(bytes, 0, bytes.readableBytes(), 0, 0, false);
            broker.publish(lane.known().applyAsInt(subject), subject, message, NOW);
        }

        @Override
        public boolean isShared() {
            return true;
        }

        @Override
        public boolean isReached(int subject, long seq) {
            return seq <= readTo;
        }

        @Override
        public void behindMessages(Runnable task) {
            lane.loop().run(task);
        }

        @Override
        public long epoch() {
            return broker.epoch();
        }

        @Override
        public void onCreated(int subject) {
            broker.onCreated(subject);
        }

        @Override
        public void onForgotten(int subject) {
            broker.onForgotten(subject);
        }

        @Override
        public void publish(int subject, SubjectKey name, Publication publication, long nowMillis) {
            broker.publish(subject, name, publication, nowMillis);
        }

        @Override
        public void endTurn(long nowMillis) {
            broker.endTurn(nowMillis);
        }

        @Override
        public long waitingBytes() {
            return broker.waitingBytes();
        }

        @Override
        public long seq(int subject) {
            return broker.seq(subject);
        }

        @Override
        public History history() {
            return broker.history();
        }

        @Override
        public Retained retained() {
            return broker.retained();
        }

        @Override
        public boolean close() {
            return broker.close();
        }
    }
}
