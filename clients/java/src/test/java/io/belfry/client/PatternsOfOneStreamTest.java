package io.belfry.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Recovery;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The patterns of a stream over HTTP, which have one position for all of them. */
final class PatternsOfOneStreamTest {
    private static final PatternPosition FIRST = at("AQAA");
    private static final PatternPosition LATER = at("AQAB");

    private final List<String> gaps = new ArrayList<>();
    private final RecordedLink link = new RecordedLink();
    private final Delivery delivery = new Delivery(null, 100, new OwnOrigin(), failure -> {}, full -> {});
    private final ClientSubscriptions subscriptions = new ClientSubscriptions(delivery, status -> {}, 10, true);

    private static PatternPosition at(String text) {
        return requireNonNull(PatternPosition.parse(text));
    }

    private Subscription subscribe(String pattern, SubscribeOptions options) {
        MessageListener listener = new MessageListener() {
            @Override
            public void onMessage(Message message) {}

            @Override
            public void onGap(Gap gap) {
                gaps.add(gap.subject() + " " + gap.reason());
            }
        };
        Subscription added = new Subscription(pattern, options, listener, 10, new IdleControl());
        subscriptions.add(added);
        return added;
    }

    /** Returns what the next stream requests. */
    private List<String> reconnect() {
        subscriptions.wantedSubscriptions().forEach(link::subscribe);
        return link.takeSent();
    }

    private void confirm(String pattern, @Nullable PatternPosition at, Recovery recovery) {
        subscriptions.patternSubscribed(pattern, at, recovery);
    }

    @Test
    void theLastConfirmationHasThePositionOfAllPatterns() {
        Subscription first = subscribe("/a/*", SubscribeOptions.LIVE);
        subscribe("/b/*", SubscribeOptions.LIVE);
        assertThat(reconnect()).containsExactly("subscribe /a/*", "subscribe /b/*");
        confirm("/a/*", null, Recovery.NONE);
        assertThat(first.position()).isNull();
        confirm("/b/*", FIRST, Recovery.NONE);
        assertThat(first.position()).isEqualTo("AQAA");
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAA", "subscribe /b/* from AQAA");
        assertThat(gaps).isEmpty();
    }

    @Test
    void aStreamThatEndsDuringItsRecoveryKeepsThePosition() {
        subscribe("/a/*", SubscribeOptions.LIVE);
        subscribe("/b/*", SubscribeOptions.LIVE);
        reconnect();
        confirm("/a/*", null, Recovery.NONE);
        confirm("/b/*", FIRST, Recovery.NONE);
        reconnect();
        confirm("/a/*", null, Recovery.COMPLETE);
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAA", "subscribe /b/* from AQAA");
        confirm("/a/*", null, Recovery.COMPLETE);
        confirm("/b/*", LATER, Recovery.COMPLETE);
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAB", "subscribe /b/* from AQAB");
        assertThat(gaps).isEmpty();
    }

    @Test
    void patternsOfDifferentPositionsBeginWithoutOne() {
        subscribe("/a/*", SubscribeOptions.LIVE);
        reconnect();
        confirm("/a/*", FIRST, Recovery.NONE);
        subscribe("/b/*", SubscribeOptions.LIVE);
        assertThat(reconnect()).containsExactly("subscribe /a/*", "subscribe /b/*");
        confirm("/a/*", null, Recovery.NONE);
        confirm("/b/*", LATER, Recovery.NONE);
        assertThat(gaps).containsExactly("/a/* not-recovered");
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAB", "subscribe /b/* from AQAB");
    }

    @Test
    void aPausedPatternDoesNotChangeThePositionOfTheOthers() {
        Subscription paused = subscribe("/a/*", SubscribeOptions.LIVE);
        subscribe("/b/*", SubscribeOptions.LIVE);
        reconnect();
        confirm("/a/*", null, Recovery.NONE);
        confirm("/b/*", FIRST, Recovery.NONE);
        paused.pause();
        paused.suspend();
        subscriptions.position(LATER);
        assertThat(reconnect()).containsExactly("subscribe /b/* from AQAB");
    }

    @Test
    void thePositionOfTheProgramBeginsAStream() {
        subscribe("/a/*", SubscribeOptions.fromPattern("AQAA"));
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAA");
    }

    @Test
    void patternsWithoutAPositionGetTheOneOfAnEvent() {
        subscribe("/a/*", SubscribeOptions.LIVE);
        reconnect();
        confirm("/a/*", null, Recovery.NONE);
        subscriptions.position(FIRST);
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAA");
    }
}
