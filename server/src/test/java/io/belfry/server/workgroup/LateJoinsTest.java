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

/** Clients that come from another node and have been further there than this node is. */
class LateJoinsTest {
    private static final long NOW = new ManualClock().millis();

    private final Node node = new Node();
    private final Lanes lanes = new Lanes(1, 1, node, "CacheSize=10");

    /** What a client is told of the subject, in order. */
    private List<String> heard(Client client) {
        return client.heard(event -> event.subject().equals("/a")).stream()
                .map(event -> event.isMessage() ? event.data() : event.op() + " " + event.note())
                .toList();
    }

    @Test
    void whatIsOnItsWayHereComesBeforeTheAnswerHoweverLongItTakes() {
        try (lanes) {
            Client client = lanes.connect(0);
            for (String data : List.of("one", "two", "three")) {
                node.willTell(() -> {
                    lanes.clock.pass(3);
                    node.tell(data);
                });
            }
            node.readTo = 2;
            client.resume("/a", Lanes.EPOCH, 2);
            lanes.settle();
            node.willTell(() -> node.tell("four"));
            lanes.settle();
            assertThat(heard(client)).containsExactly("subscribed complete", "three", "four");
        }
    }

    @Test
    void whoIsFurtherThanWhatComesInTimeIsToldThatItIsNotKnownHere() {
        try (lanes) {
            Client client = lanes.connect(0);
            client.resume("/a", Lanes.EPOCH, 2);
            lanes.passShortly(1500);
            assertThat(heard(client)).isEmpty();
            lanes.passShortly(1000);
            assertThat(heard(client)).containsExactly("subscribed gap", "gap epoch-changed");
        }
    }

    @Test
    void whatComesMeanwhileIsWaitedFor() {
        try (lanes) {
            Client client = lanes.connect(0);
            client.resume("/a", Lanes.EPOCH, 1);
            lanes.passShortly(500);
            assertThat(heard(client)).isEmpty();
            node.willTell(() -> node.tell("one"));
            node.willTell(() -> node.tell("two"));
            node.readTo = 2;
            lanes.passShortly(100);
            assertThat(heard(client)).containsExactly("subscribed complete", "two");
        }
    }

    /** A node whose other threads read and tell what the test says. */
    @SuppressWarnings("NullAway.Init") // its lane comes when that is made
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

        void willTell(Runnable task) {
            lane.loop().run(task);
        }

        /** The next message. */
        void tell(String data) {
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
