package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Position;
import io.belfry.protocol.PublishTerms;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Unacknowledged publishes across connections that end and begin. */
class PendingPublishesTest {
    private final PendingPublishes publishes = new PendingPublishes(3, 10_000);
    private final List<Long> sent = new ArrayList<>();
    private final List<Publish> unknown = new ArrayList<>();

    private Publish publish(long id, boolean repeatable) {
        Publish publish = new Publish(
                id,
                new byte[2],
                "/a",
                new byte[10],
                PublishTerms.of(false, repeatable ? "m" + id : null),
                100,
                new CompletableFuture<>());
        assertThat(publishes.admit(publish)).isTrue();
        publishes.add(publish);
        return publish;
    }

    private void sendAll() {
        publishes.send(publish -> sent.add(publish.id()));
    }

    private static PublishException.Kind kind(Publish publish) {
        return publish.acknowledged()
                .handle((at, failure) -> ((PublishException) failure).kind())
                .join();
    }

    @Test
    void unacknowledgedPublishesAreRepeatedInOrder() {
        publish(1, true);
        publish(2, true);
        sendAll();
        publishes.acknowledged(1, new Position(7, 1));
        publish(3, true);
        publishes.disconnected(unknown::add);
        sendAll();
        assertThat(sent).containsExactly(1L, 2L, 2L, 3L);
        assertThat(unknown).isEmpty();
    }

    @Test
    void aSentPublishThatMustNotRepeatFailsAsUnknown() {
        Publish one = publish(1, false);
        sendAll();
        Publish two = publish(2, false);
        publishes.disconnected(unknown::add);
        assertThat(kind(one)).isEqualTo(PublishException.Kind.UNKNOWN);
        assertThat(unknown).containsExactly(one);
        assertThat(two.acknowledged()).isNotDone();
        sendAll();
        assertThat(sent).containsExactly(1L, 2L);
    }

    @Test
    void aPublishIsKeptWhileTheConnectionIsFull() {
        publish(1, true);
        publish(2, true);
        publishes.send(publish -> publish.id() == 1 && sent.add(1L));
        sendAll();
        assertThat(sent).containsExactly(1L, 2L);
    }

    @Test
    void aPublishFailsAfterItsDeadline() {
        Publish one = publish(1, true);
        publishes.failLate(99);
        assertThat(one.acknowledged()).isNotDone();
        publishes.failLate(100);
        assertThat(kind(one)).isEqualTo(PublishException.Kind.TIMED_OUT);
        sendAll();
        assertThat(sent).as("no longer pending").isEmpty();
    }

    @Test
    void anAcknowledgementMakesRoomForOneMore() {
        publish(1, true);
        publish(2, true);
        publish(3, true);
        Publish fourth =
                new Publish(4, new byte[2], "/a", new byte[1], PublishTerms.PLAIN, 0, new CompletableFuture<>());
        assertThat(publishes.hasRoom()).isFalse();
        assertThat(publishes.admit(fourth)).isFalse();
        publishes.acknowledged(2, new Position(7, 1));
        assertThat(publishes.admit(fourth)).isTrue();
    }

    @Test
    void tooManyBytesAreNotAdmitted() {
        Publish huge =
                new Publish(1, new byte[2], "/a", new byte[9_900], PublishTerms.PLAIN, 0, new CompletableFuture<>());
        assertThat(publishes.admit(huge)).isFalse();
        assertThat(publishes.hasRoom()).isTrue();
    }
}
