package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.entitlement.TokenEntitlement;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that a command over a limit is refused with a code and that the refusal is counted. */
class LimitsTest {
    private static void assertRefused(Lanes lanes, LaneClient client, long id, Code code) {
        lanes.settle();
        assertThat(client.answer(id).op()).isEqualTo("error");
        assertThat(client.answer(id).note()).isEqualTo(code.text());
        assertThat(lanes.counters.refusals(code)).isPositive();
    }

    @Test
    void subscriptionsByNameAndByPatternShareOneLimit() {
        try (Lanes lanes = new Lanes(2, 1, "Limit.SubjectsPerSession=2")) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/a");
            client.subscribe("/b/*");
            assertRefused(lanes, client, client.subscribe("/c"), Code.TOO_MANY_SUBJECTS);
            assertRefused(lanes, client, client.subscribe("/d/*"), Code.TOO_MANY_SUBJECTS);
            client.unsubscribe("/a");
            long again = client.subscribe("/c");
            lanes.settle();
            assertThat(client.answer(again).op()).isEqualTo("subscribed");
        }
    }

    @Test
    void watchesAreLimitedToo() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.SubjectsPerSession=2", "PubSubTightlyCoupled=true")) {
            LaneClient client = lanes.connect(0);
            client.watch("/a");
            client.watch("/a");
            client.watch("/b");
            assertRefused(lanes, client, client.watch("/c"), Code.TOO_MANY_SUBJECTS);
        }
    }

    @Test
    void patternsHaveTheirOwnLimit() {
        try (Lanes lanes = new Lanes(2, 1, "Limit.PatternsPerSession=2")) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/a/*", "/b/*");
            assertRefused(lanes, client, client.subscribe("/c/*"), Code.TOO_MANY_PATTERNS);
            long byName = client.subscribe("/c");
            client.unsubscribe("/a/*");
            long again = client.subscribe("/c/*");
            lanes.settle();
            assertThat(client.answer(byName).op()).isEqualTo("subscribed");
            assertThat(client.answer(again).op()).isEqualTo("subscribed");
        }
    }

    @Test
    void patternsOfAllSessionsAreLimited() {
        try (Lanes lanes = new Lanes(2, 1, "Limit.Patterns=3")) {
            LaneClient first = lanes.connect(0);
            LaneClient second = lanes.connect(1);
            first.subscribe("/a/*", "/b/*");
            second.subscribe("/a/*");
            lanes.tick();
            lanes.tick();
            assertRefused(lanes, first, first.subscribe("/c/*"), Code.PATTERNS_FULL);
            assertRefused(lanes, second, second.subscribe("/c/*"), Code.PATTERNS_FULL);
            first.vanish();
            lanes.tick();
            lanes.tick();
            long again = second.subscribe("/c/*");
            lanes.settle();
            assertThat(second.answer(again).op()).isEqualTo("subscribed");
        }
    }

    @Test
    void newSubjectsOverTheLimitAreRefusedAndKnownOnesServed() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.Subjects=2")) {
            LaneClient client = lanes.connect(0);
            client.publish("/a", "x");
            client.subscribe("/b");
            assertRefused(lanes, client, client.publish("/c", "x"), Code.SUBJECTS_FULL);
            assertRefused(lanes, client, client.subscribe("/c"), Code.SUBJECTS_FULL);
            assertThat(lanes.level(Counter.PUBLISHES_REFUSED)).isEqualTo(1);
            long known = client.publish("/b", "x");
            long followed = client.subscribe("/a");
            lanes.settle();
            assertThat(client.answer(known).op()).isEqualTo("published");
            assertThat(client.answer(followed).op()).isEqualTo("subscribed");
            assertThat(lanes.knownSubjects()).isEqualTo(2);
        }
    }

    @Test
    void aForgottenSubjectMakesRoomForAnother() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.Subjects=1", "CacheSize=0")) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/a");
            assertRefused(lanes, client, client.subscribe("/b"), Code.SUBJECTS_FULL);
            client.unsubscribe("/a");
            long again = client.subscribe("/b");
            lanes.settle();
            assertThat(client.answer(again).op()).isEqualTo("subscribed");
        }
    }

    @Test
    void theSubjectLimitAppliesToAllLanesTogether() {
        try (Lanes lanes = new Lanes(3, 1, "Limit.Subjects=20")) {
            LaneClient client = lanes.connect(1);
            for (int i = 0; i < 100; i++) {
                client.publish("/s/" + i, "x");
                lanes.tick();
                lanes.tick();
            }
            assertThat(lanes.knownSubjects()).isEqualTo(20);
            assertThat(lanes.counters.refusals(Code.SUBJECTS_FULL)).isEqualTo(80);
        }
    }

    @Test
    void commandsOverTheRateAreRefusedPerSubject() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.CommandRate=3")) {
            LaneClient client = lanes.connect(0);
            // The first subscription of a session needs no token of the rate.
            client.subscribe("/a", "/b", "/c", "/d");
            assertRefused(lanes, client, client.subscribe("/e"), Code.COMMAND_RATE);
            assertRefused(lanes, client, client.unsubscribe("/a"), Code.COMMAND_RATE);
            assertRefused(lanes, client, client.ping(), Code.COMMAND_RATE);
            assertRefused(lanes, client, client.connect("token"), Code.COMMAND_RATE);
            long published = client.publish("/a", "x");
            lanes.pass(1000);
            long later = client.unsubscribe("/a");
            lanes.settle();
            assertThat(client.answer(published).op()).isEqualTo("published");
            assertThat(client.answer(later).op()).isEqualTo("unsubscribed");
        }
    }

    @Test
    void aSessionThatSubscribesOnceHasNoRateBucket() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = lanes.connect(0);
            client.connect(null);
            client.subscribe("/a");
            lanes.settle();
            assertThat(client.session.extras()).isNull();
        }
    }

    @Test
    void repeatedSubscribesAndUnsubscribesAreRefused() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/a", "/b/*");
            assertRefused(lanes, client, client.subscribe("/a"), Code.ALREADY_SUBSCRIBED);
            assertRefused(lanes, client, client.subscribe("/b/*"), Code.ALREADY_SUBSCRIBED);
            assertRefused(lanes, client, client.unsubscribe("/c"), Code.NOT_SUBSCRIBED);
            assertRefused(lanes, client, client.unsubscribe("/c/*"), Code.NOT_SUBSCRIBED);
            assertThat(lanes.knownSubjects()).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void aMessageThatIsTooLargeIsRefused() {
        try (Lanes lanes = new Lanes(1, 1, "MaxMessageSize=10")) {
            LaneClient client = lanes.connect(0);
            assertRefused(lanes, client, client.publish("/a", "0123456789+"), Code.MESSAGE_TOO_LARGE);
            long fits = client.publish("/a", "0123456789");
            lanes.settle();
            assertThat(client.answer(fits).op()).isEqualTo("published");
            assertThat(lanes.level(Counter.PUBLISHES_REFUSED)).isEqualTo(1);
        }
    }

    @Test
    void publishesOverTheRateAreRefusedUntilTimePasses() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.PublishRate=5")) {
            LaneClient client = lanes.connect(0);
            for (int i = 0; i < 5; i++) {
                client.publish("/a", "x");
            }
            assertRefused(lanes, client, client.publish("/a", "x"), Code.PUBLISH_RATE);
            lanes.pass(1000);
            long later = client.publish("/a", "x");
            lanes.settle();
            assertThat(client.answer(later).op()).isEqualTo("published");
        }
    }

    @Test
    void aReloadedPublishRateAppliesToExistingSessions() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.PublishRate=1")) {
            LaneClient client = lanes.connect(0);
            client.publish("/a", "x");
            assertRefused(lanes, client, client.publish("/a", "x"), Code.PUBLISH_RATE);
            lanes.lane(0).reconfigure(Lanes.config(1, "Limit.PublishRate=100"), (c, answer) -> {});
            lanes.settle();
            long later = client.publish("/a", "x");
            lanes.settle();
            assertThat(client.answer(later).op()).isEqualTo("published");
        }
    }

    @Test
    void aFullInboxPausesItsPublishersUntilItIsProcessed() {
        try (Lanes lanes = new Lanes(2, 1, "Limit.InboxBytes=64 KB")) {
            String there = lanes.subject(1, 0);
            LaneClient publisher = lanes.connect(0);
            long last = 0;
            for (int i = 0; i < 200; i++) {
                last = publisher.publish(there, "x".repeat(1000));
                lanes.settleOnly(0);
            }
            assertThat(publisher.socket.isPaused()).isTrue();
            assertThat(lanes.level(Counter.PUBLISH_PAUSES)).isEqualTo(1);
            lanes.pass(1000);
            assertThat(publisher.socket.isPaused()).isFalse();
            assertThat(publisher.answer(last).op()).isEqualTo("published");
            assertThat(lanes.seqOf(there)).isEqualTo(200);
        }
    }

    @Test
    void aTokenSentLaterAllowsPublishing() {
        Entitlement entitlement = new TokenEntitlement(Optional.of("secret"));
        try (Lanes lanes = new Lanes(2, 1, entitlement)) {
            LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, withoutToken(entitlement), false);
            assertRefused(lanes, client, client.publish("/a", "x"), Code.PUBLISH_DENIED);
            long connect = client.connect("secret");
            long publish = client.publish("/a", "x");
            lanes.settle();
            assertThat(client.answer(connect).op()).isEqualTo("connected");
            assertThat(client.answer(publish).op()).isEqualTo("published");
        }
    }

    @Test
    void aWrongTokenIsReportedAndClosesTheSession() {
        Entitlement entitlement = new TokenEntitlement(Optional.of("secret"));
        try (Lanes lanes = new Lanes(1, 1, entitlement)) {
            LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, withoutToken(entitlement), false);
            assertRefused(lanes, client, client.connect("wrong"), Code.UNAUTHORIZED);
            assertThat(client.socket.closed).isEqualTo(Code.UNAUTHORIZED);
        }
    }

    private static Principal withoutToken(Entitlement entitlement) {
        Principal[] principal = new Principal[1];
        entitlement.decide(
                new Entitlement.Credentials(null, false),
                answer -> principal[0] = ((Entitlement.Answer.Accepted) answer).principal());
        return principal[0];
    }
}
