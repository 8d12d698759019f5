package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.testsupport.ExpectedFaults;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests the rights of sessions while time passes and tokens change. */
class RightsTest {
    private static final String WATCHING = "PubSubTightlyCoupled=true";

    /** Allows everything except the denied subjects, until an expiry time. */
    private static final class Holder implements Principal {
        private final long until;
        private final Set<String> denied;
        private boolean withdrawn;
        private int publishesDecided;

        Holder(long until, String... denied) {
            this.until = until;
            this.denied = Set.of(denied);
        }

        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return decide(subject, subject.length, Code.SUBSCRIBE_DENIED, nowMillis);
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            publishesDecided++;
            return decide(subject, length, Code.PUBLISH_DENIED, nowMillis);
        }

        private Decision decide(byte[] subject, int length, Code code, long nowMillis) {
            String name = new String(subject, 0, length, StandardCharsets.UTF_8);
            return nowMillis >= until
                    ? TOKEN_EXPIRED
                    : denied.contains(name) ? new Decision.Denied(code, "denied") : Decision.ALLOWED;
        }

        @Override
        public long expiresMillis() {
            return until;
        }

        @Override
        public boolean isWithdrawn() {
            return withdrawn;
        }
    }

    /** Knows some tokens; decides at once or when the test says so. */
    private static final class Slow implements Entitlement {
        final Map<String, Answer> known = new HashMap<>();
        final List<Runnable> answers = new ArrayList<>();
        boolean atOnce = true;
        boolean breaks;

        @Override
        public void decide(Credentials credentials, Consumer<Answer> answer) {
            if (breaks) {
                throw new IllegalStateException("broken");
            }
            Answer decided = known.getOrDefault(String.valueOf(credentials.token()), new Answer.Rejected("not known"));
            if (atOnce) {
                answer.accept(decided);
            } else {
                answers.add(() -> answer.accept(decided));
            }
        }

        void knows(String token, Principal principal) {
            known.put(token, new Answer.Accepted(principal));
        }
    }

    private final Slow entitlement = new Slow();

    private static List<String> ops(LaneClient client) {
        return client.ops();
    }

    @Test
    void anAnnouncedPublishIsDecidedOnce() {
        try (Lanes lanes = new Lanes(1, 1, entitlement)) {
            Holder holder = new Holder(Principal.NEVER, "/denied");
            LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, holder, true);
            assertThat(client.announce("/a")).isEqualTo(Decision.ALLOWED);
            long id = client.publishAnnounced("/a", "x");
            lanes.settle();
            assertThat(client.answer(id).op()).isEqualTo("published");
            assertThat(holder.publishesDecided).isEqualTo(1);
            assertThat(lanes.counters.total(Counter.PUBLISHES_IN)).isEqualTo(1);

            assertThat(client.announce("/denied")).isInstanceOf(Decision.Denied.class);
            assertThat(lanes.counters.total(Counter.PUBLISHES_IN)).isEqualTo(2);
            assertThat(lanes.counters.total(Counter.PUBLISHES_REFUSED)).isEqualTo(1);
        }
    }

    @Test
    void anAnnouncedPublishIsRefusedAfterTheRightsEnded() {
        try (Lanes lanes = new Lanes(1, 1, entitlement)) {
            Holder holder = new Holder(Principal.NEVER);
            LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, holder, true);
            assertThat(client.announce("/a")).isEqualTo(Decision.ALLOWED);
            holder.withdrawn = true;
            long id = client.publishAnnounced("/a", "x");
            lanes.settle();
            assertThat(client.answer(id).note()).isEqualTo(Code.UNAUTHORIZED.text());
            assertThat(lanes.counters.total(Counter.PUBLISHES_REFUSED)).isEqualTo(1);
        }
    }

    /** Each check of the time takes so long that a turn ends few sessions. */
    @Test
    void tokensThatExpireTogetherEndTheirSessionsInSlices() {
        try (Lanes lanes = new Lanes(1, 1, entitlement, "PingInterval=10 m")) {
            long until = lanes.clock.millis() + 5_000;
            List<LaneClient> clients = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                clients.add(lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, new Holder(until), true));
            }
            lanes.settle();
            lanes.clock.passPerRead(150_000);
            lanes.pass(6_000);
            assertThat(clients)
                    .allSatisfy(client -> assertThat(client.socket.closed).isEqualTo(Code.TOKEN_EXPIRED));
        }
    }

    @Test
    void aSessionIsWarnedBeforeItsTokenExpiresAndThenClosed() {
        try (Lanes lanes = new Lanes(2, 1, entitlement, "Entitlement.WarnTime=10 s", "PingInterval=10 m")) {
            long until = lanes.clock.millis() + 60_000;
            for (BelfryFormat format : BelfryFormat.values()) {
                if (format.isStream()) {
                    continue;
                }
                LaneClient client = lanes.connect(0, format, new Holder(until), true);
                lanes.settle();
                lanes.pass(49_000);
                assertThat(ops(client)).doesNotContain("token-to-expire");
                lanes.pass(1_300);
                ReceivedEvent warning = client.received(event -> event.op().equals("token-to-expire"))
                        .getFirst();
                assertThat(warning.seq()).isBetween(9_000L, 10_000L);
                assertThat(client.socket.closed).isNull();
                lanes.pass(10_000);
                assertThat(client.socket.closed).isEqualTo(Code.TOKEN_EXPIRED);
                assertThat(ops(client).stream().filter("token-to-expire"::equals))
                        .hasSize(1);
                until = lanes.clock.millis() + 60_000;
            }
        }
    }

    @Test
    void anExpiredTokenDoesNotAllowPublishing() {
        try (Lanes lanes = new Lanes(1, 1, entitlement)) {
            LaneClient client =
                    lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, new Holder(lanes.clock.millis() + 50), true);
            lanes.settle();
            lanes.passShortly(60);
            long id = client.publish("/a", "x");
            lanes.settle();
            assertThat(client.answer(id).note()).isEqualTo("token-expired");
            assertThat(lanes.knownSeqOf("/a")).isZero();
        }
    }

    @Test
    void aShortLivedTokenIsNotWarnedAboutAtOnce() {
        try (Lanes lanes = new Lanes(1, 1, entitlement, "Entitlement.WarnTime=60 s")) {
            LaneClient client =
                    lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, new Holder(lanes.clock.millis() + 4_000), true);
            lanes.pass(1_900);
            assertThat(ops(client)).doesNotContain("token-to-expire");
            lanes.pass(300);
            assertThat(ops(client)).contains("token-to-expire");
        }
    }

    @Test
    void aNewTokenKeepsAllowedSubscriptionsAndEndsTheRest() {
        try (Lanes lanes = new Lanes(2, 1, entitlement, WATCHING)) {
            long now = lanes.clock.millis();
            entitlement.knows(
                    "next", new Holder(now + 600_000, "/gone", "/gone/**", "/conflated", "/conflated/*", "/watched"));
            LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY, new Holder(now + 5_000), true);
            LaneClient publisher = lanes.connect(1);
            client.subscribe("/stays", "/stays/*", "/gone", "/gone/**");
            client.conflate("/conflated", 1000);
            client.conflate("/conflated/*", 1000);
            client.watch("/watched");
            client.watch("/still");
            lanes.settle();
            long id = client.connect("next");
            lanes.settle();
            assertThat(client.answer(id).op()).isEqualTo("connected");
            assertThat(client.received(event -> event.op().equals("unsubscribed")))
                    .allMatch(event -> event.note().equals("subscribe-denied"))
                    .extracting(ReceivedEvent::subject)
                    .containsExactlyInAnyOrder("/gone", "/gone/**", "/conflated", "/conflated/*");
            assertThat(client.received(event -> event.op().equals("unwatched")))
                    .extracting(ReceivedEvent::subject, ReceivedEvent::note)
                    .containsExactly(org.assertj.core.api.Assertions.tuple("/watched", "publish-denied"));
            for (String subject : List.of("/stays", "/stays/x", "/gone", "/gone/x", "/conflated", "/conflated/x")) {
                publisher.publish(subject, "x");
            }
            lanes.pass(10_000);
            assertThat(client.received(ReceivedEvent::isMessage))
                    .extracting(ReceivedEvent::subject)
                    .containsExactlyInAnyOrder("/stays", "/stays/x");
            assertThat(client.socket.closed).as("the old expiry does not apply").isNull();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(2);
        }
    }

    @Test
    void commandsAfterATokenWaitForTheDecision() {
        try (Lanes lanes = new Lanes(2, 1, entitlement)) {
            entitlement.atOnce = false;
            entitlement.knows("good", new Holder(Principal.NEVER));
            LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, new Holder(Principal.NEVER, "/a"), true);
            long connect = client.connect("good");
            long subscribe = client.subscribe("/a");
            lanes.settle();
            assertThat(ops(client)).isEmpty();
            assertThat(lanes.level(Counter.DECISIONS_WAITING)).isEqualTo(1);
            entitlement.answers.getFirst().run();
            lanes.settle();
            lanes.settle();
            assertThat(client.answer(connect).op()).isEqualTo("connected");
            assertThat(client.answer(subscribe).op()).isEqualTo("subscribed");
            assertThat(lanes.level(Counter.DECISIONS_WAITING)).isZero();
        }
    }

    @Test
    void lateRepeatedAndMissingDecisionsAreRefusals() {
        try (Lanes lanes = new Lanes(1, 1, entitlement, "Entitlement.DecideTime=1 s", "Entitlement.Waiting=2")) {
            entitlement.atOnce = false;
            entitlement.knows("good", new Holder(Principal.NEVER));
            LaneClient late = lanes.connect(0);
            LaneClient twice = lanes.connect(0);
            LaneClient third = lanes.connect(0);
            late.connect("good");
            twice.connect("good");
            third.connect("good");
            lanes.settle();
            assertThat(third.socket.closed).isEqualTo(Code.OVERLOADED);
            entitlement.answers.get(1).run();
            entitlement.answers.get(1).run();
            lanes.pass(1_200);
            assertThat(late.socket.closed).isEqualTo(Code.DECIDE_TIMEOUT);
            entitlement.answers.get(0).run();
            lanes.settle();
            assertThat(twice.socket.closed).isNull();
            assertThat(lanes.level(Counter.DECISIONS_IGNORED)).isEqualTo(2);
            assertThat(lanes.level(Counter.DECISIONS_WAITING)).isZero();
            entitlement.breaks = true;
            LaneClient broken = lanes.connect(0);
            broken.connect("good");
            lanes.settle();
            assertThat(broken.socket.closed).isEqualTo(Code.INTERNAL);
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isEqualTo(1);
            ExpectedFaults.remove("IllegalStateException: broken");
        }
    }

    @Test
    void sessionsOfAWithdrawnKeyAreClosedSoon() {
        try (Lanes lanes = new Lanes(1, 1, entitlement, "PingInterval=4 s")) {
            Holder holder = new Holder(Principal.NEVER);
            LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, holder, true);
            LaneClient other = lanes.connect(0);
            lanes.settle();
            holder.withdrawn = true;
            lanes.pass(2_500);
            assertThat(client.socket.closed).isEqualTo(Code.UNAUTHORIZED);
            assertThat(other.socket.closed).isNull();
        }
    }

    @Test
    void watchingNeedsTheRightToPublish() {
        try (Lanes lanes = new Lanes(1, 1, entitlement, WATCHING)) {
            LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_JSON, new Holder(Principal.NEVER, "/a"), true);
            long id = client.watch("/a");
            lanes.settle();
            assertThat(client.answer(id).note()).isEqualTo("publish-denied");
        }
    }
}
