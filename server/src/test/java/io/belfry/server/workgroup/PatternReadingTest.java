package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Subjects;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.testsupport.TestScope;
import io.netty.util.ResourceLeakDetector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Subscribes and unsubscribes patterns, sets and clears retained messages, and stalls clients, in random task orders.
 * No message may be repeated or follow a newer one of its subject. At the end each client has the latest retained
 * message of each subject, and no message after {@code subscribed} is missing.
 */
class PatternReadingTest {
    private static final int SEEDS = TestScope.seeds(50, 25) / 5;
    private static final List<String> PATTERNS = List.of("/**", "/s1/*", "/*/**");
    private static final int LANES_MAX = 3;
    private static final Counters[] COUNTERS = new Counters[LANES_MAX + 1];
    private static final int SUBJECTS = 12;
    private static final int QUEUED_MAX = 3 * (64 << 10);
    private static final String PADDING = ".".repeat(15_000);

    private static ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

    /** Switches off leak detection, as in {@link InterleavingTest}. */
    @BeforeAll
    static void lookForLeaksElsewhere() {
        level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        Arrays.setAll(COUNTERS, Counters::new);
    }

    @AfterAll
    static void lookForLeaksAgain() {
        ResourceLeakDetector.setLevel(level);
    }

    @Test
    void patternsReadInPiecesNeitherLoseRepeatNorReorder() {
        for (int seed = 0; seed < SEEDS; seed++) {
            try (Play play = new Play(seed)) {
                play.perform(60);
                play.finish();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("with seed " + seed, failure);
            }
        }
    }

    private static final class Play implements AutoCloseable {
        private final Random random;
        private final Lanes lanes;
        private final List<String> subjects = new ArrayList<>();
        private final LaneClient publisher;
        private final List<Watched> clients = new ArrayList<>();

        Play(int seed) {
            random = new Random(seed);
            int count = 1 + random.nextInt(LANES_MAX);
            lanes = new Lanes(count, seed, new OpenEntitlement(), COUNTERS[count], Lanes.config(count));
            for (int i = 0; i < SUBJECTS; i++) {
                subjects.add(lanes.subject(random.nextInt(count), i / 4) + (i % 4 == 3 ? "/x" + i : "x" + i));
            }
            publisher = lanes.connect();
            subjects.forEach(subject -> publish(subject, true, PADDING));
            lanes.settle();
            for (int i = 0; i < 2; i++) {
                clients.add(new Watched(
                        random.nextInt(4) == 0 ? lanes.connect(random.nextInt(count), null) : lanes.connect()));
            }
        }

        private void publish(String subject, boolean retain, String data) {
            publisher.publish(subject, data, retain, null);
        }

        void perform(int acts) {
            for (int i = 0; i < acts; i++) {
                Watched client = clients.get(random.nextInt(clients.size()));
                switch (random.nextInt(10)) {
                    case 0, 1 -> client.subscribe(PATTERNS.get(random.nextInt(PATTERNS.size())));
                    case 2 -> client.unsubscribe(PATTERNS.get(random.nextInt(PATTERNS.size())));
                    case 3 -> client.client.socket.stallAfter(random.nextInt(60_000));
                    case 4, 5 -> client.client.takeMore(random.nextInt(100_000));
                    default -> publishSome();
                }
                for (int steps = random.nextInt(5); steps > 0; steps--) {
                    lanes.step();
                    clients.forEach(Watched::look);
                }
            }
        }

        private void publishSome() {
            String subject = subjects.get(random.nextInt(SUBJECTS));
            switch (random.nextInt(6)) {
                case 0 -> publish(subject, true, "");
                case 1, 2 -> publish(subject, true, random.nextBoolean() ? PADDING : "small");
                default -> publish(subject, false, "live");
            }
        }

        void finish() {
            settle();
            for (Watched client : clients) {
                client.client.takeAll();
            }
            settle();
            clients.forEach(Watched::check);
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            lanes.clients().forEach(LaneClient::vanish);
            lanes.settle();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
        }

        /** Like {@link Lanes#settle}, but checks the clients after each step. */
        private void settle() {
            do {
                lanes.clients().forEach(LaneClient::sendPending);
                while (lanes.step()) {
                    clients.forEach(Watched::look);
                }
                clients.forEach(Watched::look);
            } while (lanes.step());
        }

        @Override
        public void close() {
            lanes.close();
        }

        /** A client and the messages that it must have received. */
        private final class Watched {
            final LaneClient client;

            /** For each pattern with a received {@code subscribed}, the seq of each subject at that time. */
            private final Map<String, Map<String, Long>> since = new HashMap<>();

            private final Map<String, Long> newest = new HashMap<>();
            private int looked;

            Watched(LaneClient client) {
                this.client = client;
            }

            void subscribe(String pattern) {
                client.subscribe(pattern);
            }

            void unsubscribe(String pattern) {
                client.unsubscribe(pattern);
            }

            void look() {
                if (client.socket.room() == 0) {
                    assertThat(client.socket.queuedBytes()).isLessThanOrEqualTo(QUEUED_MAX);
                }
                for (; looked < client.received().size(); looked++) {
                    check(client.received().get(looked));
                }
            }

            private void check(ReceivedEvent event) {
                switch (event.op()) {
                    case "subscribed" -> since.put(event.subject(), seqs());
                    case "unsubscribed" -> {
                        since.remove(event.subject());
                        // A second pattern may repeat messages that the first one delivered.
                        newest.clear();
                    }
                    case "message" -> {
                        Long before = newest.put(event.subject(), event.seq());
                        assertThat(before == null || before < event.seq())
                                .as("%s after %s: %s", event, before, client.received())
                                .isTrue();
                    }
                    default -> {}
                }
            }

            private Map<String, Long> seqs() {
                Map<String, Long> seqs = new HashMap<>();
                subjects.forEach(subject -> seqs.put(subject, lanes.seqOf(subject)));
                return seqs;
            }

            void check() {
                if (client.session.isClosed()) {
                    return;
                }
                since.forEach((pattern, seqs) -> subjects.stream()
                        .filter(subject -> matches(pattern, subject))
                        .forEach(subject -> check(subject, java.util.Objects.requireNonNull(seqs.get(subject)))));
            }

            private void check(String subject, long since) {
                List<Long> received = client.seqs(subject);
                for (long seq = since + 1; seq <= lanes.seqOf(subject); seq++) {
                    assertThat(received).as("%s since %d", subject, since).contains(seq);
                }
                Long latest = lanes.retainedSeqOf(subject);
                if (latest != null) {
                    assertThat(received).as("%s retained", subject).contains(latest);
                }
            }

            private static boolean matches(String pattern, String subject) {
                return Subjects.matches(
                        pattern.getBytes(StandardCharsets.UTF_8), subject.getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
