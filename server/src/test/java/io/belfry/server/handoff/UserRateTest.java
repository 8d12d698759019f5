package io.belfry.server.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.TestScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the rate that the sessions of a user share on several lanes. */
class UserRateTest {
    private static final long SECOND = 1_000_000_000;
    private static final long TICK = SECOND / 10;
    private static final int SEEDS = TestScope.seeds(200, 60);

    private static List<UserRate> lanes(int count) {
        List<UserRate> lanes = IntStream.range(0, count)
                .mapToObj(i -> new UserRate(UserRateTest::workNow))
                .toList();
        lanes.forEach(each -> each.connect(lanes));
        return lanes;
    }

    private static void workNow(BooleanSupplier step) {
        boolean more = true;
        while (more) {
            more = step.getAsBoolean();
        }
    }

    private static int takeAll(UserRate lane, int perSecond, long nowNanos) {
        int taken = 0;
        while (lane.take("ada", perSecond, nowNanos) == 0) {
            taken++;
        }
        return taken;
    }

    @Test
    void aLowRateIsExactOverAllLanes() {
        List<UserRate> lanes = lanes(4);
        for (int i = 0; i < 10; i++) {
            assertThat(lanes.get(i % 4).take("ada", 10, 0)).isZero();
        }
        for (UserRate each : lanes) {
            assertThat(each.take("ada", 10, 0)).isEqualTo(100);
        }
        assertThat(lanes.get(0).take("bob", 10, 0)).isZero();
        assertThat(lanes.get(3).take("ada", 10, TICK)).isZero();
        assertThat(lanes.get(2).take("ada", 10, TICK)).isEqualTo(100);
    }

    @Test
    void aHighRateIsExactOnOneLaneAndWithinASixteenthOnSeveral() {
        assertThat(takeAll(lanes(1).get(0), 10_000, 0)).isEqualTo(10_000);
        List<UserRate> lanes = lanes(4);
        for (UserRate each : lanes) {
            assertThat(each.take("ada", 10_000, 0)).isZero();
        }
        // Three lanes hold tokens that they have not used.
        int taken = 4 + takeAll(lanes.get(0), 10_000, 0);
        assertThat(taken).isBetween(10_000 - 10_000 / 16, 9_999);
        lanes.forEach(each -> each.tick(0));
        assertThat(taken + takeAll(lanes.get(0), 10_000, 0)).isEqualTo(10_000);
    }

    @Test
    void fullBucketsAreRemoved() {
        List<UserRate> lanes = lanes(3);
        for (int i = 0; i < 1_000; i++) {
            lanes.get(i % 3).take("user" + i, 5, 0);
        }
        assertThat(lanes.stream().mapToInt(UserRate::size).sum()).isEqualTo(1_000);
        for (int tick = 0; tick < 10; tick++) {
            lanes.forEach(each -> each.tick(SECOND / 2));
        }
        assertThat(lanes.stream().mapToInt(UserRate::size).sum()).isZero();
        assertThat(takeAll(lanes.get(0), 5, SECOND / 2)).isEqualTo(5);
    }

    @Test
    void aChangedRateAppliesFromTheNextUse() {
        List<UserRate> lanes = lanes(2);
        assertThat(lanes.get(0).take("ada", 1, 0)).isZero();
        assertThat(lanes.get(1).take("ada", 1, 0)).isEqualTo(1_000);
        assertThat(lanes.get(1).take("ada", 1_000, TICK)).isZero();
        assertThat(lanes.get(1).take("ada", Integer.MAX_VALUE, TICK)).isZero();
    }

    /** In any window the user gets at most the rate, one second's burst and what the lanes may hold, and never less than it asks below. */
    @Test
    void anyWindowHasAtMostTheRateAndItsBurst() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(6);
            int perSecond = List.of(1, 7, 50, 1_000, 20_000).get(random.nextInt(5));
            List<UserRate> lanes = lanes(count);
            List<Long> used = new ArrayList<>();
            long now = 0;
            for (int i = 0; i < 60; i++) {
                now += (long) (random.nextDouble() * random.nextDouble() * SECOND);
                UserRate lane = lanes.get(random.nextInt(count));
                for (int wanted = random.nextInt(1 + perSecond); wanted > 0; wanted--) {
                    if (lane.take("ada", perSecond, now) > 0) {
                        break;
                    }
                    used.add(now);
                }
                if (random.nextInt(3) == 0) {
                    long tick = now;
                    lanes.forEach(each -> each.tick(tick));
                }
            }
            assertWithin(used, perSecond, seed);
        }
    }

    private static void assertWithin(List<Long> used, int perSecond, int seed) {
        double held = perSecond / 16.0;
        for (int first = 0; first < used.size(); first += 1 + used.size() / 50) {
            for (int last = first; last < used.size(); last += 1 + used.size() / 50) {
                double seconds = (used.get(last) - used.get(first)) / (double) SECOND;
                assertThat(last - first + 1.0)
                        .as("seed %d, %s s", seed, seconds)
                        .isLessThanOrEqualTo(perSecond * (1 + seconds) + held + 1);
            }
        }
    }

    @Test
    void threadsTogetherTakeEachTokenOnce() throws Exception {
        int threads = 4;
        for (int perSecond : new int[] {100, 100_000}) {
            List<UserRate> lanes = lanes(threads);
            AtomicLong taken = new AtomicLong();
            CountDownLatch begin = new CountDownLatch(1);
            List<Thread> running = lanes.stream()
                    .map(lane -> Thread.ofPlatform().start(() -> {
                        try {
                            begin.await();
                        } catch (InterruptedException ended) {
                            return;
                        }
                        // A tick each time returns tokens, and removes buckets that are full.
                        for (int i = 0; i < 200; i++) {
                            for (int j = 0; j < 200 && lane.take("ada", perSecond, 0) == 0; j++) {
                                taken.incrementAndGet();
                            }
                            lane.tick(0);
                        }
                    }))
                    .toList();
            begin.countDown();
            for (Thread each : running) {
                each.join();
            }
            assertThat(taken.get()).isLessThanOrEqualTo(perSecond);
            assertThat(taken.get() + takeAll(lanes.get(0), perSecond, 0)).isEqualTo(perSecond);
        }
    }
}
