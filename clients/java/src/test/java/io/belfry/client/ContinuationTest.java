package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Ending;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a client continues its session, and what it requests if its subscriptions changed meanwhile. */
final class ContinuationTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final PatternPosition FIRST = Objects.requireNonNull(PatternPosition.parse("AQAA"));
    private static final Ending LOST = new Ending(Ending.Cause.LOST, "lost");

    private final ClientLoop loop = new ClientLoop("test", 1 << 16, () -> 42);
    private final RecordedLink link = new RecordedLink();
    private final Delivery delivery = new Delivery(null, 100, new OwnOrigin(), failure -> {}, full -> {});
    private final ClientSubscriptions subscriptions = new ClientSubscriptions(delivery, status -> {}, 10, false);
    private final SubscriptionRequests requests =
            new SubscriptionRequests(loop, delivery, subscriptions, status -> {}, this::listedLink);
    private final Continuation continuation = new Continuation(true, subscriptions, requests);
    private boolean listed = true;

    private @Nullable Link listedLink() {
        return listed ? link : null;
    }

    private static Subscription subscription(String subject, SubscribeOptions options) {
        return new Subscription(subject, options, message -> {}, 10, new IdleControl());
    }

    private Subscription subscribe(String subject, SubscribeOptions options) {
        Subscription added = subscription(subject, options);
        requests.subscribe(added);
        return added;
    }

    @BeforeEach
    void connect() {
        assertThat(continuation.request(0)).isEqualTo(KeptSession.NEW);
        continuation.onConnected(new ConnectedEvent("id", "n", 25_000, 65_536, 60_000, false), link);
        subscribe("/a", SubscribeOptions.LIVE);
        subscriptions.subscribed("/a", new Position(7, 41), Recovery.NONE);
    }

    @AfterEach
    void close() {
        loop.close();
    }

    private void lose() {
        listed = false;
        link.takeSent();
        continuation.onEnd(LOST, 10 * SECOND);
    }

    private String requested(long afterSeconds) {
        KeptSession request = continuation.request((10 + afterSeconds) * SECOND);
        if (request == null || request.id().isEmpty()) {
            return "new";
        }
        List<String> received = request.received().stream()
                .map(each -> new String(each.subject(), StandardCharsets.UTF_8) + "@" + each.at())
                .toList();
        return request.id() + received;
    }

    @Test
    void aSessionContinuesFromItsPositionsUntilItsTimeIsOver() {
        lose();
        assertThat(requested(5)).isEqualTo("id[/a@7:41]");
        continuation.onEnd(LOST, 30 * SECOND);
        assertThat(requested(60)).as("after a failed attempt").isEqualTo("id[/a@7:41]");
        assertThat(requested(61)).isEqualTo("new");
    }

    @Test
    void otherSubscriptionsThanTheServersBeginANewSession() {
        lose();
        Subscription added = subscribe("/b", SubscribeOptions.LIVE);
        assertThat(requested(1)).isEqualTo("new");
        requests.unsubscribe(added);
        assertThat(requested(1)).isEqualTo("id[/a@7:41]");
        requests.unsubscribe(Objects.requireNonNull(subscriptions.find("/a")));
        subscribe("/a", SubscribeOptions.conflate(Duration.ofMillis(100)));
        assertThat(requested(1)).as("the same subject with other options").isEqualTo("new");
    }

    @Test
    void aSessionIsKeptOnlyWhileItsConnectionIsOpen() {
        assertThat(continuation.isKept()).isTrue();
        continuation.onConnected(new ConnectedEvent("id", "n", 25_000, 65_536, 0, false), link);
        assertThat(continuation.isKept()).as("the server does not keep it").isFalse();
        continuation.onConnected(new ConnectedEvent("id", "n", 25_000, 65_536, 60_000, false), link);
        lose();
        assertThat(continuation.isKept()).isFalse();
    }

    @Test
    void positionsThatExceedACommandBeginANewSession() {
        continuation.onConnected(new ConnectedEvent("id", "n", 25_000, 10, 60_000, false), link);
        lose();
        assertThat(requested(1)).isEqualTo("new");
    }

    private void resumed() {
        listed = true;
        continuation.onConnected(new ConnectedEvent("next", "n", 25_000, 65_536, 60_000, true), link);
    }

    @Test
    void patternsWithoutAPositionBeginANewSession() {
        Subscription pattern = subscribe("/p/*", SubscribeOptions.LIVE);
        subscriptions.subscribed("/p/*", null, Recovery.NONE);
        lose();
        assertThat(requested(1)).isEqualTo("new");
        pattern.pause();
        requests.suspend(pattern);
        assertThat(requested(1)).as("a paused pattern").isEqualTo("id[/a@7:41]");
        requests.unsubscribe(pattern);
        assertThat(requested(1)).isEqualTo("id[/a@7:41]");
    }

    @Test
    void patternsAreRequestedAgainFromTheirPositions() {
        subscribe("/p/*", SubscribeOptions.LIVE);
        subscriptions.patternSubscribed("/p/*", FIRST, Recovery.NONE);
        subscribe("/q/*", SubscribeOptions.LIVE);
        subscriptions.patternSubscribed("/q/*", FIRST, Recovery.NONE);
        Subscription paused = subscribe("/r/*", SubscribeOptions.LIVE);
        subscriptions.patternSubscribed("/r/*", FIRST, Recovery.NONE);
        paused.pause();
        requests.suspend(paused);
        for (int returns = 1; returns <= 2; returns++) {
            // At the second time the patterns are not confirmed yet.
            lose();
            assertThat(continuation.request(11 * SECOND))
                    .isNotNull()
                    .satisfies(request -> assertThat(request.received()).hasSize(1));
            subscribe("/s" + returns + "/*", SubscribeOptions.fromPattern("AQAB"));
            resumed();
            assertThat(link.takeSent())
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.of("/p/* from AQAA", "/q/* from AQAA", "/s1/* from AQAB", "/s2/* from AQAB")
                                    .limit(2L + returns)
                                    .map(each -> "subscribe " + each)
                                    .toList());
        }
    }

    @Test
    void aPatternThatEndsDuringTheRequestIsNotRequested() {
        Subscription pattern = subscribe("/p/*", SubscribeOptions.LIVE);
        subscriptions.patternSubscribed("/p/*", FIRST, Recovery.NONE);
        lose();
        assertThat(requested(1)).isEqualTo("id[/a@7:41]");
        requests.unsubscribe(pattern);
        resumed();
        assertThat(link.takeSent()).isEmpty();
    }

    @Test
    void aSessionThatAnotherConnectionTookIsNotContinued() {
        listed = false;
        continuation.onEnd(new Ending(Ending.Cause.CLOSED_BY_SERVER, "taken", 4013, "session-taken", 0), 10 * SECOND);
        assertThat(requested(1)).isEqualTo("new");
    }

    @Test
    void changesDuringTheRequestFollowTheAnswer() {
        Subscription ended = subscribe("/b", SubscribeOptions.LIVE);
        subscriptions.subscribed("/b", new Position(7, 1), Recovery.NONE);
        lose();
        assertThat(requested(1)).isEqualTo("id[/a@7:41, /b@7:1]");
        requests.unsubscribe(ended);
        subscribe("/c", SubscribeOptions.LIVE);
        assertThat(link.takeSent()).isEmpty();
        resumed();
        assertThat(link.takeSent()).containsExactly("unsubscribe /b", "subscribe /c");
    }
}
