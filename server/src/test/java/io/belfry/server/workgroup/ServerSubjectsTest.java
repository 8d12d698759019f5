package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests what the server itself publishes and follows, on several lanes. */
class ServerSubjectsTest {
    private static final String SUBJECT = "/$node/node/stats";

    private static ServerSubjects of(Lanes lanes) {
        return new ServerSubjects(
                IntStream.range(0, lanes.count()).mapToObj(lanes::lane).toList(), Lanes.HASH_SEED, "\"asks\":true");
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns what is known after the home has looked. */
    private static boolean isFollowed(Lanes lanes, ServerSubjects subjects) {
        subjects.isFollowed(SUBJECT);
        lanes.settle();
        return subjects.isFollowed(SUBJECT);
    }

    @Test
    void aSubjectIsFollowedWhileAnyLaneHasASubscriber() {
        try (Lanes lanes = new Lanes(3, 1)) {
            ServerSubjects subjects = of(lanes);
            assertThat(isFollowed(lanes, subjects)).isFalse();
            for (int lane = 0; lane < 3; lane++) {
                LaneClient client = lanes.connect(lane);
                client.subscribe(SUBJECT);
                lanes.settle();
                assertThat(isFollowed(lanes, subjects)).isTrue();
                client.vanish();
                lanes.settle();
                assertThat(isFollowed(lanes, subjects)).isFalse();
            }
        }
    }

    @Test
    void aBusyHomeIsNotGivenMoreWork() {
        try (Lanes lanes = new Lanes(2, 1)) {
            ServerSubjects subjects = of(lanes);
            lanes.connect(0).subscribe(SUBJECT);
            lanes.settle();
            assertThat(isFollowed(lanes, subjects)).isTrue();
            assertThat(subjects.isFollowed(SUBJECT)).as("not looked yet").isFalse();
            lanes.settle();
            assertThat(subjects.isFollowed(SUBJECT)).isTrue();
        }
    }

    @Test
    void askingLeavesNoSubject() {
        try (Lanes lanes = new Lanes(2, 1)) {
            ServerSubjects subjects = of(lanes);
            isFollowed(lanes, subjects);
            assertThat(lanes.knownSubjects()).isZero();
        }
    }

    @Test
    void messagesArriveInOrderAndTheLastIsRetained() {
        try (Lanes lanes = new Lanes(3, 1)) {
            ServerSubjects subjects = of(lanes);
            LaneClient client = lanes.connect(0);
            client.subscribe(SUBJECT);
            lanes.settle();
            subjects.publish(SUBJECT, utf8("one"));
            subjects.publish(SUBJECT, utf8("two"));
            lanes.settle();
            assertThat(client.received(event -> event.op().equals("message"))).hasSize(2);
            LaneClient late = lanes.connect(2);
            late.subscribe(SUBJECT);
            lanes.settle();
            assertThat(late.received(event -> event.op().equals("message"))).hasSize(1);
            assertThat(lanes.seqOf(SUBJECT)).isEqualTo(2);
        }
    }

    @Test
    void patternsDoNotMatchAndDoNotMakeTheSubjectFollowed() {
        try (Lanes lanes = new Lanes(2, 1)) {
            ServerSubjects subjects = of(lanes);
            LaneClient client = lanes.connect(0);
            client.subscribe("/**");
            lanes.settle();
            subjects.publish(SUBJECT, utf8("one"));
            lanes.settle();
            assertThat(client.received(event -> event.op().equals("message"))).isEmpty();
            assertThat(isFollowed(lanes, subjects)).isFalse();
        }
    }

    @Test
    void aRefusedMessageIsCounted() {
        try (Lanes lanes = new Lanes(2, 1, "MaxMessageSize=10 B", "Limit.Subjects=1")) {
            ServerSubjects subjects = of(lanes);
            subjects.publish(SUBJECT, utf8("0123456789a"));
            lanes.settle();
            assertThat(lanes.counters.refusals(Code.MESSAGE_TOO_LARGE)).isEqualTo(1);
            assertThat(lanes.level(Counter.PUBLISHES_REFUSED)).isEqualTo(1);
            assertThat(lanes.knownSubjects()).isZero();
        }
    }

    @Test
    void theServerFollowsUntilItStops() {
        try (Lanes lanes = new Lanes(3, 1)) {
            ServerSubjects subjects = of(lanes);
            List<String> received = new ArrayList<>();
            subjects.publish(SUBJECT, utf8("before"));
            lanes.settle();
            subjects.follow(SUBJECT, (data, millis) -> received.add(new String(data, StandardCharsets.UTF_8)));
            lanes.settle();
            assertThat(received).containsExactly("before");
            assertThat(isFollowed(lanes, subjects)).isTrue();
            // Longer than any ping interval: the session without a connection stays.
            for (int second = 0; second < 200; second++) {
                subjects.publish(SUBJECT, utf8("m" + second));
                lanes.pass(1_000);
            }
            assertThat(received).hasSize(201).endsWith("m199");
            subjects.unfollow(SUBJECT);
            lanes.settle();
            subjects.publish(SUBJECT, utf8("after"));
            lanes.settle();
            assertThat(received).hasSize(201);
            assertThat(isFollowed(lanes, subjects)).isFalse();
            assertThat(lanes.level(Counter.SESSIONS_OPENED)).isEqualTo(lanes.level(Counter.SESSIONS_CLOSED));
        }
    }

    @Test
    void followingReadsWithoutHistoryToo() {
        try (Lanes lanes = new Lanes(2, 1, "CacheSize=0")) {
            ServerSubjects subjects = of(lanes);
            List<String> received = new ArrayList<>();
            subjects.follow(SUBJECT, (data, millis) -> received.add(new String(data, StandardCharsets.UTF_8)));
            lanes.settle();
            subjects.publish(SUBJECT, utf8("one"));
            lanes.settle();
            subjects.publish(SUBJECT, utf8("two"));
            lanes.settle();
            assertThat(received).containsExactly("one", "two");
        }
    }

    @Test
    void aDrainEndsFollowing() {
        try (Lanes lanes = new Lanes(2, 1)) {
            ServerSubjects subjects = of(lanes);
            subjects.follow(SUBJECT, (data, millis) -> {});
            lanes.settle();
            lanes.lane(0).drain(100);
            lanes.pass(3_000);
            subjects.unfollow(SUBJECT);
            lanes.settle();
            assertThat(lanes.level(Counter.SESSIONS_CLOSED)).isEqualTo(1);
        }
    }
}
