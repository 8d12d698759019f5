package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.ReplyInboxes;
import org.junit.jupiter.api.Test;

/** Tests how long an inbox exists. */
class ReplyInboxTest {
    private static final String KEY = "AbCdEfGhIjKlMnOpQrStUvWxYz012345";
    private static final String INBOX = ReplyInboxes.of(KEY);
    private static final String FOLLOW = INBOX + "/" + KEY;
    private static final int GRACE_MILLIS = 60_000;

    private static ReceivedEvent publish(Lanes lanes, LaneClient publisher) {
        long id = publisher.publish(INBOX, "reply");
        lanes.settle();
        return publisher.answer(id);
    }

    @Test
    void anInboxOutlivesTheConnectionOfItsClientByAMinute() {
        for (int lane = 0; lane < 2; lane++) {
            try (Lanes lanes = new Lanes(2, lane)) {
                LaneClient other = lanes.connect(1 - lane);
                assertThat(publish(lanes, other).note()).isEqualTo(Code.NO_INBOX.text());
                LaneClient owner = lanes.connect(lane);
                owner.subscribe(FOLLOW);
                lanes.settle();
                owner.vanish();
                lanes.settle();
                lanes.pass(GRACE_MILLIS - 1000);
                assertThat(lanes.knownSubjects()).isEqualTo(1);
                lanes.pass(2000);
                assertThat(lanes.knownSubjects()).isZero();
                assertThat(publish(lanes, lanes.connect(1 - lane)).note()).isEqualTo(Code.NO_INBOX.text());
            }
        }
    }

    @Test
    void inboxesOverTheLimitEndWithTheirSubscriptions() {
        try (Lanes lanes = new Lanes(1, 5, "Limit.DetachedSessions=3")) {
            LaneClient client = lanes.connect();
            for (int i = 0; i < 5; i++) {
                String key = KEY + i;
                String inbox = ReplyInboxes.of(key);
                client.subscribe(inbox + "/" + key);
                lanes.settle();
                client.unsubscribe(inbox);
                lanes.settle();
            }
            assertThat(lanes.knownSubjects()).isEqualTo(3);
            client.answerPings(lanes, GRACE_MILLIS + 1000);
            assertThat(lanes.knownSubjects()).isZero();
        }
    }

    @Test
    void aClientThatReturnsGetsTheRepliesSince() {
        try (Lanes lanes = new Lanes(2, 3)) {
            LaneClient other = lanes.connect(1);
            LaneClient owner = lanes.connect(0);
            owner.subscribe(FOLLOW);
            lanes.settle();
            owner.vanish();
            lanes.settle();
            assertThat(publish(lanes, other).op()).isEqualTo("published");
            lanes.pass(1000);
            LaneClient returned = lanes.connect(1);
            returned.resume(FOLLOW, Lanes.EPOCH, 0);
            lanes.settle();
            assertThat(returned.data(INBOX)).containsExactly("reply");
            returned.answerPings(lanes, 2 * GRACE_MILLIS);
            assertThat(publish(lanes, lanes.connect(1)).op()).isEqualTo("published");
            assertThat(returned.data(INBOX)).containsExactly("reply", "reply");
        }
    }
}
