package io.belfry.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.subject.SubscriberList;
import io.netty.buffer.ByteBuf;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests subscriptions and lists of subscribers, which refer to each other. */
class SubscriptionsTest {
    private final SubscriberList lists = new SubscriberList();
    private final SessionTable sessions = new SessionTable();
    private final Subscriptions subscriptions = new Subscriptions(lists, sessions);

    private Session open() {
        Session session =
                new Session(Nowhere.OUTBOUND, Nowhere.NOBODY, sessions.takeSlot(), sessions.nextGeneration(), 0, 0);
        sessions.put(session);
        return session;
    }

    private Set<Integer> subscribers(int subject) {
        Set<Integer> slots = new HashSet<>();
        if (lists.hasSeveral(subject)) {
            for (int i = 0; i < lists.count(subject); i++) {
                assertThat(slots.add(lists.several(subject)[i])).isTrue();
            }
        } else if (lists.count(subject) == 1) {
            slots.add(lists.single(subject));
        }
        return slots;
    }

    private Set<Integer> subjects(Session session) {
        Set<Integer> subjects = new HashSet<>();
        subscriptions.forEach(
                session, subject -> assertThat(subjects.add(subject)).isTrue());
        return subjects;
    }

    @Test
    void aSingleSubscriptionAllocatesNothing() {
        Session session = open();
        subscriptions.add(session, 0);
        assertThat(session.extras()).isNull();
        assertThat(subscriptions.has(session, 0)).isTrue();
        subscriptions.remove(session, 0);
        assertThat(subscriptions.count(session)).isZero();
        assertThat(lists.count(0)).isZero();
    }

    @Test
    void upToEightSubscriptionsNeedNoExtras() {
        Session session = open();
        for (int subject = 0; subject < 8; subject++) {
            subscriptions.add(session, subject);
        }
        assertThat(session.extras()).isNull();
        subscriptions.add(session, 8);
        assertThat(session.extras()).isNotNull();
        assertThat(subjects(session)).hasSize(9);
        subscriptions.forEach(session, subject -> subscriptions.remove(session, subject));
        assertThat(session.extras()).isNull();
        assertThat(session.isBlank()).isTrue();
    }

    @Test
    void subscriptionsStayWhenOtherExtrasComeAndGo() {
        Session session = open();
        subscriptions.add(session, 1);
        subscriptions.add(session, 2);
        session.extrasCreated().commandRate(10, 0).take(0);
        assertThat(subjects(session)).containsExactlyInAnyOrder(1, 2);
        subscriptions.add(session, 3);
        session.dropIdleExtras(Long.MAX_VALUE / 2);
        assertThat(session.extras()).isNull();
        assertThat(subjects(session)).containsExactlyInAnyOrder(1, 2, 3);
    }

    /** The header of an object takes 8 bytes with compact headers, a reference 4. */
    @Test
    void theFieldsOfASessionTakeThirtyTwoBytes() {
        int bytes = 0;
        for (Field field : Session.class.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                assertThat(field.getType()).isNotIn(long.class, double.class);
                bytes += Integer.BYTES;
            }
        }
        assertThat(bytes).isLessThanOrEqualTo(32);
    }

    @Test
    void smallNumbersOfASessionDoNotDisturbEachOther() {
        int slot = Session.SLOTS - 1;
        for (int format : new int[] {-1, 0, 63}) {
            Session session = new Session(Nowhere.OUTBOUND, Nowhere.NOBODY, slot, 5, format, 0);
            assertThat(session.slot()).isEqualTo(slot);
            assertThat(session.format()).isEqualTo(format);
            assertThat(session.isShared()).isEqualTo(format >= 0);
            session.ready(false);
            session.pending(Session.SLOTS);
            assertThat(session.isReady()).isFalse();
            session.keep();
            assertThat(session.pending()).isEqualTo(Session.SLOTS);
            session.ready(true);
            session.pending(0);
            assertThat(session.isKept()).isTrue();
            assertThat(session.isOrdinary()).isEqualTo(format >= 0);
            assertThat(session.pending()).isZero();
        }
    }

    @Test
    void randomSubscriptionsAgreeWithAModel() {
        Random random = new Random(11);
        Map<Session, Set<Integer>> model = new HashMap<>();
        List<Session> live = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            if (live.size() < 3 || random.nextInt(50) == 0) {
                Session session = open();
                live.add(session);
                model.put(session, new HashSet<>());
            }
            Session session = live.get(random.nextInt(live.size()));
            Set<Integer> held = java.util.Objects.requireNonNull(model.get(session));
            int subject = random.nextInt(40);
            if (random.nextInt(200) == 0) {
                subscriptions.forEach(session, each -> subscriptions.remove(session, each));
                sessions.remove(session);
                live.remove(session);
                model.remove(session);
            } else if (held.add(subject)) {
                subscriptions.add(session, subject);
            } else {
                held.remove(subject);
                subscriptions.remove(session, subject);
            }
            if (i % 100 == 0) {
                assertAgrees(model);
            }
        }
        assertAgrees(model);
    }

    private void assertAgrees(Map<Session, Set<Integer>> model) {
        Map<Integer, Set<Integer>> bySubject = new HashMap<>();
        model.forEach((session, subjects) -> {
            assertThat(subjects(session)).isEqualTo(subjects);
            assertThat(subscriptions.count(session)).isEqualTo(subjects.size());
            subjects.forEach(subject ->
                    bySubject.computeIfAbsent(subject, s -> new HashSet<>()).add(session.slot()));
        });
        for (int subject = 0; subject < 40; subject++) {
            assertThat(subscribers(subject)).isEqualTo(bySubject.getOrDefault(subject, Set.of()));
            assertThat(lists.count(subject))
                    .isEqualTo(bySubject.getOrDefault(subject, Set.of()).size());
        }
    }

    @Test
    void aSubjectOfManySubscribersShrinksAgain() {
        List<Session> all = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            Session session = open();
            subscriptions.add(session, 7);
            all.add(session);
        }
        assertThat(lists.count(7)).isEqualTo(10_000);
        all.subList(1, all.size()).forEach(session -> subscriptions.remove(session, 7));
        assertThat(lists.single(7)).isEqualTo(all.getFirst().slot());
    }

    @Test
    void aReferenceToAClosedSessionFindsNothing() {
        Session first = open();
        sessions.remove(first);
        Session second = open();
        assertThat(second.slot()).isEqualTo(first.slot());
        assertThat(sessions.find(first.reference())).isNull();
        assertThat(sessions.find(second.reference())).isSameAs(second);
        assertThat(sessions.size()).isEqualTo(1);
    }

    /** The outbound and principal of a session to which nothing is written. */
    private static final class Nowhere implements Outbound {
        static final Outbound OUTBOUND = new Nowhere();
        static final Principal NOBODY = new Principal() {
            @Override
            public Decision maySubscribe(byte[] subject, long nowMillis) {
                return Decision.ALLOWED;
            }

            @Override
            public Decision mayPublish(byte[] subject, int length, long nowMillis) {
                return Decision.ALLOWED;
            }
        };

        @Override
        public boolean write(ByteBuf bytes, int offset, int length) {
            return true;
        }

        @Override
        public void stage(ByteBuf bytes, int offset, int length) {
            throw new AssertionError();
        }

        @Override
        public boolean flushStaged() {
            return true;
        }

        @Override
        public int queuedBytes() {
            return 0;
        }

        @Override
        public void pauseReading() {
            throw new AssertionError();
        }

        @Override
        public void resumeReading() {
            throw new AssertionError();
        }

        @Override
        public boolean ping() {
            return false;
        }

        @Override
        public boolean isLoopback() {
            return true;
        }

        @Override
        public void close(Code code, String reason) {
            throw new AssertionError();
        }
    }

    @Test
    void theTableShrinksAfterManyUnsubscribes() {
        SubjectIndexes several = new SubjectIndexes();
        for (int subject = 0; subject < 100_000; subject++) {
            several.put(subject, subject);
        }
        for (int subject = 3; subject < 100_000; subject++) {
            assertThat(several.remove(subject)).isEqualTo(subject);
        }
        assertThat(several.capacity()).isLessThanOrEqualTo(32);
        assertThat(several.used()).isEqualTo(3);
        for (int subject = 0; subject < 3; subject++) {
            assertThat(several.remove(subject)).isEqualTo(subject);
        }
    }
}
