package io.belfry.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageView;
import io.belfry.testsupport.TestScope;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Publishes and cleans at random and compares the history with a plain model, whichever bound is reached first. The
 * model has a list per subject and knows no segments. The history decides which messages are evicted early; the model
 * then determines which messages can be read.
 */
class CleanerPlayTest {
    private static final int SEEDS = TestScope.seeds(50, 25);
    private static final int SEGMENT = 1024;

    private static ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

    @BeforeAll
    static void lookForLeaksElsewhere() {
        level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterAll
    static void lookForLeaksAgain() {
        ResourceLeakDetector.setLevel(level);
    }

    @Test
    void oneTurnOfCleaningAgreesWithTheModel() {
        for (int seed = 0; seed < SEEDS; seed++) {
            new Play(seed, Integer.MAX_VALUE, false).perform();
        }
    }

    @Test
    void readsAndPublishesBetweenCleaningStepsAgreeWithTheModel() {
        for (int seed = 0; seed < SEEDS; seed++) {
            new Play(seed, 1 + seed % 9, false).perform();
        }
    }

    @Test
    void aClockSetBackCausesNoMissingMessage() {
        for (int seed = 0; seed < SEEDS; seed++) {
            new Play(seed, 1 + seed % 30, true).perform();
        }
    }

    private record Kept(long seq, long time, String id, String data, boolean retained) {}

    private static final class Play {
        private final int seed;
        private final Random random;
        private final int stepsMax;
        private final boolean clockGoesBack;
        private final int cacheSize;
        private final long expireMillis;
        private final long budget;
        private final int subjects;
        private final int dataMax;
        private final int hotShare;
        private final History history;
        private final Map<Integer, List<Kept>> model = new HashMap<>();
        private final Map<Integer, Long> seqs = new HashMap<>();
        private final Map<Integer, Long> oldest = new HashMap<>();
        private final Set<String> missing = new HashSet<>();
        private long now = 10_000;

        Play(int seed, int stepsMax, boolean clockGoesBack) {
            this.seed = seed;
            random = new Random(seed);
            this.stepsMax = stepsMax;
            this.clockGoesBack = clockGoesBack;
            cacheSize = 1 + (random.nextBoolean() ? random.nextInt(5) : random.nextInt(60));
            expireMillis = random.nextInt(3) == 0 ? 20 + random.nextInt(200) : 100_000;
            budget = random.nextInt(10 * SEGMENT);
            subjects = 1 + random.nextInt(random.nextBoolean() ? 5 : 40);
            dataMax = random.nextInt(4) == 0 ? SEGMENT - 80 : 1 + random.nextInt(200);
            hotShare = random.nextInt(20);
            history = new History(3, cacheSize, expireMillis, random.nextBoolean() ? SEGMENT : 1000, budget);
        }

        void perform() {
            try {
                for (int i = 0; i < 250; i++) {
                    act();
                    check();
                }
                expireEverything();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("with seed " + seed, failure);
            } finally {
                history.close();
            }
        }

        private void act() {
            if (random.nextInt(4) == 0) {
                now += clockGoesBack && random.nextInt(10) == 0 ? -random.nextInt(60) : random.nextInt(12);
            }
            if (random.nextInt(3) > 0) {
                publish(random.nextInt(20) < hotShare ? 0 : random.nextInt(subjects));
            } else {
                int steps = stepsMax == Integer.MAX_VALUE ? stepsMax : 1 + random.nextInt(stepsMax);
                history.clean(now, steps, this::onGone);
                if (steps == Integer.MAX_VALUE) {
                    assertThat(history.bytes()).isLessThanOrEqualTo(Math.max(budget, 2 * SEGMENT));
                }
            }
        }

        private void publish(int subject) {
            long seq = seqs.merge(subject, 1L, Long::sum);
            String id = random.nextInt(3) == 0 ? subject + "-" + random.nextInt(30) : "";
            if (!id.isEmpty() && seqOf(subject, id) >= 0) {
                id = "";
            }
            String data = (subject + ":" + seq + " ").repeat(SEGMENT).substring(0, random.nextInt(dataMax));
            boolean retained = random.nextBoolean();
            model.computeIfAbsent(subject, s -> new ArrayList<>()).add(new Kept(seq, now, id, data, retained));
            ByteBuf bytes = Unpooled.copiedBuffer(id + data, StandardCharsets.UTF_8);
            history.append(new NewRecord()
                    .message(subject, seq, now, retained)
                    .id(bytes, 0, id.length())
                    .data(bytes, id.length(), data.length()));
        }

        /** Called when a subject has no history left; its number may be assigned to another subject. */
        private void onGone(int subject) {
            assertThat(history.isEmpty(subject)).isTrue();
            for (Kept kept : wanted(subject)) {
                missing.add(subject + ":" + kept.seq());
            }
            for (Kept kept : model.getOrDefault(subject, List.of())) {
                assertThat(kept.id().isEmpty() ? -1 : seqOf(subject, kept.id())).isEqualTo(-1);
            }
            model.remove(subject);
            oldest.remove(subject);
        }

        private long seqOf(int subject, String id) {
            ByteBuf bytes = Unpooled.copiedBuffer(id, StandardCharsets.UTF_8);
            return history.seqOf(subject, bytes, 0, id.length(), now);
        }

        private void check() {
            for (int subject = 0; subject < subjects; subject++) {
                check(subject);
            }
            if (stepsMax == Integer.MAX_VALUE) {
                assertThat(history.early()).isEqualTo(missing.size());
            } else if (!clockGoesBack) {
                assertThat(history.early()).isLessThanOrEqualTo(missing.size());
            }
        }

        private void check(int subject) {
            assertThat(history.isEmpty(subject)).isEqualTo(!model.containsKey(subject));
            List<Kept> wanted = wanted(subject);
            List<Kept> read = read(subject, 0, wanted);
            assertThat(read).isEqualTo(wanted.subList(wanted.size() - read.size(), wanted.size()));
            for (Kept lost : wanted.subList(0, wanted.size() - read.size())) {
                missing.add(subject + ":" + lost.seq());
            }
            for (Kept kept : read) {
                if (!kept.id().isEmpty()) {
                    assertThat(seqOf(subject, kept.id())).isEqualTo(kept.seq());
                }
            }
            long from = history.oldestSeq(subject, 0, now);
            assertThat(from).isEqualTo(read.isEmpty() ? -1 : read.getFirst().seq());
            if (from >= 0 && !clockGoesBack) {
                assertThat(oldest.merge(subject, from, (a, b) -> b >= a ? b : -1))
                        .isEqualTo(from);
            }
            resume(subject, read);
        }

        /**
         * Checks a resume as the subject's home answers it: messages are missing exactly if the answer reports a gap.
         */
        private void resume(int subject, List<Kept> read) {
            long latest = seqs.getOrDefault(subject, 0L);
            long from = Math.max(0, latest - random.nextInt(2 * cacheSize));
            long first = history.oldestSeq(subject, 0, now);
            boolean complete = from == latest || (first >= 0 && first <= from + 1);
            List<Kept> after = read.stream().filter(kept -> kept.seq() > from).toList();
            assertThat(read(subject, from, read)).isEqualTo(after);
            assertThat(history.oldestSeq(subject, from, now))
                    .isEqualTo(after.isEmpty() ? -1 : after.getFirst().seq());
            assertThat(complete).isEqualTo(after.size() == latest - from);
        }

        private List<Kept> wanted(int subject) {
            List<Kept> all = model.getOrDefault(subject, List.of());
            int first = all.size();
            while (first > Math.max(0, all.size() - cacheSize)
                    && all.get(first - 1).time() >= now - expireMillis) {
                first--;
            }
            return all.subList(first, all.size());
        }

        private List<Kept> read(int subject, long after, List<Kept> known) {
            Map<Long, String> ids = new HashMap<>();
            known.forEach(kept -> ids.put(kept.seq(), kept.id()));
            List<Kept> read = new ArrayList<>();
            history.read(
                    subject,
                    after,
                    Integer.MAX_VALUE,
                    new MessageView(),
                    now,
                    message -> read.add(new Kept(
                            message.seq(),
                            message.timeMillis(),
                            ids.getOrDefault(message.seq(), "unknown"),
                            message.data().toString(message.dataOffset(), message.dataLength(), StandardCharsets.UTF_8),
                            message.retained())));
            return read;
        }

        private void expireEverything() {
            now += 2 * expireMillis + 10_000;
            history.clean(now, Integer.MAX_VALUE, this::onGone);
            assertThat(history.messages()).isZero();
            assertThat(history.bytes()).isLessThanOrEqualTo(SEGMENT);
            assertThat(history.isCleaningDue(now)).isFalse();
            assertThat(model).isEmpty();
        }
    }
}
