package io.belfry.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.client.connection.ClientLoop;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a pattern continues from its position, and what it delivers then. */
final class PatternRecoveryTest {
    private static final String PATTERN = "/a/*";
    private static final PatternPosition FIRST = at("AQAA");
    private static final PatternPosition LATER = at("AQAB");

    private final ClientLoop loop = new ClientLoop("test", 1 << 16, () -> 42);
    private final List<String> delivered = new ArrayList<>();
    private final List<String> positionsAtGaps = new ArrayList<>();
    private final List<Status> statuses = new ArrayList<>();
    private final RecordedLink link = new RecordedLink();
    private final Delivery delivery = new Delivery(null, 100, new OwnOrigin(), failure -> {}, full -> {});
    private final ClientSubscriptions subscriptions = new ClientSubscriptions(delivery, statuses::add, 10, false);
    private final SubscriptionRequests requests =
            new SubscriptionRequests(loop, delivery, subscriptions, status -> {}, () -> link);
    private final Subscription pattern = subscription(PATTERN, SubscribeOptions.LIVE);

    private static PatternPosition at(String text) {
        return requireNonNull(PatternPosition.parse(text));
    }

    private Subscription subscription(String subject, SubscribeOptions options) {
        MessageListener listener = new MessageListener() {
            @Override
            public void onMessage(Message message) {
                delivered.add(subject + " " + message.subject() + " " + message.position());
            }

            @Override
            public void onGap(Gap gap) {
                positionsAtGaps.add(String.valueOf(pattern.position()));
                delivered.add(subject + " gap " + gap.from() + " " + gap.to() + " " + gap.reason());
            }
        };
        return new Subscription(subject, options, listener, 10, new IdleControl());
    }

    private void receive(MessageType type, String subject, Position at) {
        ByteBuf bytes = Unpooled.copiedBuffer(subject, StandardCharsets.UTF_8);
        subscriptions.message(new MessageView()
                .subject(bytes, 0, bytes.readableBytes())
                .data(Unpooled.EMPTY_BUFFER, 0, 0)
                .position(at.epoch(), 0, at.seq())
                .prev(MessageView.NO_PREV)
                .time(1)
                .type(type));
    }

    private void live(String subject, long seq) {
        receive(MessageType.LIVE, subject, new Position(7, seq));
    }

    private void recovered(String subject, long seq) {
        receive(MessageType.RECOVERED, subject, new Position(7, seq));
    }

    private void confirm(String subject, @Nullable PatternPosition at, Recovery recovery) {
        subscriptions.patternSubscribed(subject, at, recovery);
    }

    /** Returns what the next connection requests. */
    private List<String> reconnect() {
        link.takeSent();
        subscriptions.wantedSubscriptions().forEach(link::subscribe);
        return link.takeSent();
    }

    private List<String> takeDelivered() {
        List<String> all = List.copyOf(delivered);
        delivered.clear();
        return all;
    }

    @BeforeEach
    void follow() {
        requests.subscribe(pattern);
        confirm(PATTERN, FIRST, Recovery.NONE);
        live("/a/b", 5);
        takeDelivered();
    }

    @AfterEach
    void close() {
        loop.close();
    }

    @Test
    void thePositionIsReplacedByEachLaterOne() {
        assertThat(pattern.position()).isEqualTo("AQAA");
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAA");
        subscriptions.position(LATER);
        assertThat(pattern.position()).as("not confirmed on this connection").isEqualTo("AQAA");
        confirm(PATTERN, FIRST, Recovery.COMPLETE);
        subscriptions.position(LATER);
        assertThat(pattern.position()).isEqualTo("AQAB");
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAB");
    }

    @Test
    void aLostRecoveryContinuesFromItsProgress() {
        reconnect();
        recovered("/a/b", 6);
        subscriptions.progress(PATTERN, LATER);
        recovered("/a/b", 7);
        assertThat(pattern.position()).isEqualTo("AQAB");
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAB");
        recovered("/a/b", 7);
        recovered("/a/b", 8);
        confirm(PATTERN, at("AQAC"), Recovery.COMPLETE);
        assertThat(delivered).containsExactly("/a/* /a/b 7:6", "/a/* /a/b 7:7", "/a/* /a/b 7:8");
        subscriptions.progress(PATTERN, FIRST);
        assertThat(pattern.position()).as("confirmed already").isEqualTo("AQAC");
    }

    @Test
    void theProgressOfOneOfSeveralOverlappingPatternsIsIgnored() {
        requests.subscribe(subscription("/*/b", SubscribeOptions.LIVE));
        reconnect();
        subscriptions.progress(PATTERN, LATER);
        assertThat(reconnect()).contains("subscribe /a/* from AQAA");
    }

    @Test
    void recoveredDuplicatesAreDroppedAfterAReconnect() {
        live("/a/b", 6);
        reconnect();
        recovered("/a/b", 5);
        recovered("/a/b", 6);
        recovered("/a/b", 7);
        recovered("/a/new", 1);
        confirm(PATTERN, LATER, Recovery.COMPLETE);
        live("/a/b", 8);
        assertThat(delivered).containsExactly("/a/* /a/b 7:6", "/a/* /a/b 7:7", "/a/* /a/new 7:1", "/a/* /a/b 7:8");
        assertThat(statuses).endsWith(new Status.Subscribed(PATTERN, Recovery.COMPLETE));
    }

    @Test
    void aGapOfAPatternIsOneGapWithoutPositions() {
        reconnect();
        subscriptions.gap(PATTERN, null, new Position(0, 0), "history-gone");
        recovered("/a/b", 5);
        recovered("/a/b", 9);
        receive(MessageType.RECOVERED, "/a/c", new Position(8, 3));
        confirm(PATTERN, LATER, Recovery.GAP);
        live("/a/b", 10);
        assertThat(delivered)
                .containsExactly("/a/* gap null null history-gone", "/a/* /a/b 7:9", "/a/* /a/c 8:3", "/a/* /a/b 7:10");
    }

    @Test
    void aMessageThatIsMissingWithoutAnAnnouncementIsAGap() {
        reconnect();
        recovered("/a/b", 7);
        assertThat(delivered).containsExactly("/a/* gap 7:5 7:6 not-recovered", "/a/* /a/b 7:7");
    }

    @Test
    void aServerWithoutPositionsLeadsToBridgesAndAGap() {
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAA");
        assertThat(requests.failed(-2, PATTERN, "wildcard-not-allowed", "no positions", 0))
                .isTrue();
        assertThat(link.takeSent()).containsExactly("subscribe /a/b from 7:5", "subscribe /a/*");
        confirm(PATTERN, null, Recovery.NONE);
        assertThat(delivered).containsExactly("/a/* gap null null not-recovered");
        assertThat(pattern.position()).isNull();
        assertThat(reconnect()).containsExactly("subscribe /a/b from 7:5", "subscribe /a/*");
    }

    @Test
    void aPositionCountsOnlyAfterTheBridges() {
        reconnect();
        requests.failed(-2, PATTERN, "wildcard-not-allowed", "no positions", 0);
        subscriptions.subscribed("/a/b", new Position(7, 7), Recovery.COMPLETE);
        confirm(PATTERN, FIRST, Recovery.NONE);
        recovered("/a/b", 6);
        subscriptions.position(LATER);
        assertThat(pattern.position()).as("a message of the bridge is missing").isNull();
        assertThat(reconnect()).containsExactly("subscribe /a/b from 7:6", "subscribe /a/*");
        subscriptions.subscribed("/a/b", new Position(7, 7), Recovery.COMPLETE);
        confirm(PATTERN, FIRST, Recovery.NONE);
        recovered("/a/b", 7);
        assertThat(pattern.position()).isEqualTo("AQAA");
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAA");
        assertThat(delivered)
                .filteredOn(each -> each.contains("/a/b"))
                .containsExactly("/a/* /a/b 7:6", "/a/* /a/b 7:7");
    }

    @Test
    void gapsPrecedeThePositionThatWaitedForThem() {
        reconnect();
        requests.failed(-2, PATTERN, "wildcard-not-allowed", "no positions", 0);
        positionsAtGaps.clear();
        confirm(PATTERN, LATER, Recovery.NONE);
        assertThat(subscriptions.refused("/a/b", "too-many-subjects", "")).isFalse();
        assertThat(delivered).containsExactly("/a/* gap null null not-recovered", "/a/* gap 7:5 null not-recovered");
        assertThat(positionsAtGaps).doesNotContain("AQAB");
        assertThat(pattern.position()).isEqualTo("AQAB");
    }

    @Test
    void aPauseBeforeTheConfirmationKeepsTheKnownSubjects() {
        reconnect();
        requests.failed(-2, PATTERN, "wildcard-not-allowed", "no positions", 0);
        pattern.pause();
        requests.suspend(pattern);
        subscriptions.subscribed("/a/b", new Position(7, 7), Recovery.COMPLETE);
        confirm(PATTERN, FIRST, Recovery.NONE);
        requests.unsubscribed(PATTERN, null);
        link.takeSent();
        pattern.resume();
        requests.resume(pattern);
        assertThat(link.takeSent()).containsExactly("subscribe /a/b from 7:5", "subscribe /a/*");
    }

    @Test
    void aPositionOfTheProgramIsRequestedFirst() {
        requests.unsubscribe(pattern);
        link.takeSent();
        Subscription next = subscription(PATTERN, SubscribeOptions.fromPattern("AQAA"));
        requests.subscribe(next);
        assertThat(link.takeSent()).containsExactly("subscribe /a/* from AQAA");
        assertThat(next.position()).isEqualTo("AQAA");
        live("/a/b", 8);
        requests.unsubscribed(PATTERN, null);
        receive(MessageType.SNAPSHOT, "/a/b", new Position(7, 7));
        recovered("/a/b", 6);
        recovered("/a/b", 7);
        confirm(PATTERN, LATER, Recovery.COMPLETE);
        assertThat(delivered).containsExactly("/a/* /a/b 7:6", "/a/* /a/b 7:7");
        assertThat(next.position()).isEqualTo("AQAB");
    }

    @Test
    void aPositionOfTheProgramThatIsNotUsedIsAGap() {
        Subscription other = subscription("/b/*", SubscribeOptions.fromPattern("AQAA"));
        requests.subscribe(other);
        confirm("/b/*", null, Recovery.NONE);
        assertThat(delivered).containsExactly("/b/* gap null null not-recovered");
    }

    @Test
    void eachOverlappingPatternGetsEachMessageOnce() {
        requests.subscribe(subscription("/**", SubscribeOptions.LIVE));
        confirm("/**", FIRST, Recovery.NONE);
        live("/a/b", 6);
        takeDelivered();
        assertThat(reconnect()).containsExactly("subscribe /a/* from AQAA", "subscribe /** from AQAA");
        recovered("/a/b", 6);
        recovered("/a/b", 7);
        confirm(PATTERN, LATER, Recovery.COMPLETE);
        live("/a/b", 8);
        live("/a/new", 1);
        recovered("/a/b", 6);
        recovered("/a/b", 7);
        recovered("/c", 1);
        confirm("/**", LATER, Recovery.COMPLETE);
        assertThat(delivered)
                .containsExactly(
                        "/a/* /a/b 7:7",
                        "/** /a/b 7:7",
                        "/a/* /a/b 7:8",
                        "/** /a/b 7:8",
                        "/a/* /a/new 7:1",
                        "/** /a/new 7:1",
                        "/** /c 7:1");
    }

    @Test
    void aMessageOfANewSubjectIsDeliveredBeforeAllLanesConfirmed() {
        reconnect();
        live("/a/new", 1);
        confirm(PATTERN, LATER, Recovery.COMPLETE);
        live("/a/new", 2);
        assertThat(delivered).containsExactly("/a/* /a/new 7:1", "/a/* /a/new 7:2");
    }

    @Test
    void thePatternThatLacksMostIsRequestedFirst() {
        requests.subscribe(subscription("/c/*", SubscribeOptions.LIVE));
        requests.subscribe(subscription("/**", SubscribeOptions.fromPattern("AQAB")));
        assertThat(link.takeSent())
                .endsWith("unsubscribe /a/*", "subscribe /** from AQAB", "subscribe /a/* from AQAA")
                .contains("subscribe /c/*");
        live("/a/b", 9);
        assertThat(delivered)
                .as("a message sent before the server ended the pattern")
                .isEmpty();
        requests.unsubscribed(PATTERN, null);
        recovered("/a/b", 4);
        recovered("/a/b", 5);
        recovered("/a/b", 6);
        assertThat(delivered)
                .filteredOn(each -> each.startsWith("/a/*"))
                .as("what another pattern lacks")
                .containsExactly("/a/* /a/b 7:6");
        assertThat(reconnect())
                .containsExactly("subscribe /** from AQAB", "subscribe /a/* from AQAA", "subscribe /c/*");
    }

    @Test
    void messagesThatFollowNewerOnesOfAnotherPatternAreAGap() {
        requests.unsubscribe(pattern);
        requests.subscribe(subscription("/b/*", SubscribeOptions.fromPattern("AQAB")));
        requests.subscribe(subscription("/**", SubscribeOptions.fromPattern("AQAA")));
        requests.unsubscribed(PATTERN, null);
        recovered("/b/c", 8);
        confirm("/b/*", LATER, Recovery.COMPLETE);
        recovered("/b/c", 6);
        recovered("/b/c", 7);
        recovered("/b/c", 8);
        assertThat(delivered).containsExactly("/b/* /b/c 7:8", "/** /b/c 7:8", "/** gap null null not-recovered");
    }

    @Test
    void patternsOverlapIfASubjectMatchesBoth() {
        for (String other : List.of("/**", "/a/*", "/*/b", "/a/b/**", "/*/*/c")) {
            boolean overlaps = !other.equals("/a/b/**") && !other.equals("/*/*/c");
            assertThat(PatternOverlap.exists("/a/*", other)).as(other).isEqualTo(overlaps);
            assertThat(PatternOverlap.exists(other, "/a/*")).as(other).isEqualTo(overlaps);
            assertThat(PatternOverlap.exists("/b/**", other)).as(other).isEqualTo(!other.startsWith("/a"));
        }
    }

    @Test
    void aPausedPatternContinuesFromItsPosition() {
        pattern.pause();
        requests.suspend(pattern);
        requests.unsubscribed(PATTERN, null);
        assertThat(link.takeSent()).endsWith("unsubscribe /a/*");
        subscriptions.position(LATER);
        pattern.resume();
        requests.resume(pattern);
        assertThat(link.takeSent()).containsExactly("subscribe /a/* from AQAA");
        recovered("/a/b", 5);
        recovered("/a/b", 6);
        confirm(PATTERN, LATER, Recovery.COMPLETE);
        assertThat(delivered).containsExactly("/a/* /a/b 7:6");
    }

    @Test
    void thePositionFollowsTheMessagesThatWaitForTheListener() {
        pattern.pause();
        live("/a/b", 6);
        subscriptions.position(LATER);
        assertThat(pattern.position()).isEqualTo("AQAA");
        pattern.resume();
        delivery.run(pattern::deliverKept);
        assertThat(pattern.position()).isEqualTo("AQAB");
        assertThat(delivered).containsExactly("/a/* /a/b 7:6");
    }

    @Test
    void anEndedPatternHasNoPosition() {
        requests.unsubscribed(PATTERN, "subscribe-denied");
        requests.subscribe(subscription(PATTERN, SubscribeOptions.LIVE));
        assertThat(reconnect()).containsExactly("subscribe /a/*");
    }

    @Test
    void aPositionThatIsInvalidHereIsRejected() {
        for (String malformed : List.of("", "7:42", "AQAA=", "A", "A".repeat(1028))) {
            assertThatThrownBy(() -> SubscribeOptions.fromPattern(malformed))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> subscription("/a", SubscribeOptions.fromPattern("AQAA")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> subscription(PATTERN, SubscribeOptions.from(new Position(7, 1))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
