package io.belfry.server.subject;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SubjectHomesTest {
    private static final int LANES = 4;
    private static final long HEAP = 1 << 30;

    private static SubjectKey key(String subject) {
        return new SubjectKey(1).set(subject.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theFirstSubscriberDecidesOnce() {
        SubjectHomes homes = SubjectHomes.nearSubscribers(LANES, HEAP);
        homes.near(key("/a"), 3);
        homes.near(key("/a"), 2);
        assertThat(homes.of(key("/a"))).isEqualTo(3);
    }

    @Test
    void withoutASubscriberTheHashDecides() {
        SubjectHomes homes = SubjectHomes.nearSubscribers(LANES, HEAP);
        int home = homes.of(key("/a"));
        assertThat(home).isEqualTo(SubjectHomes.byHash(LANES).of(key("/a")));
        homes.near(key("/a"), (home + 1) % LANES);
        assertThat(homes.of(key("/a"))).as("decided before").isEqualTo(home);
    }

    @Test
    void homesByHashDoNotFollowSubscribers() {
        SubjectHomes homes = SubjectHomes.byHash(LANES);
        int home = homes.of(key("/a"));
        homes.near(key("/a"), (home + 1) % LANES);
        assertThat(homes.of(key("/a"))).isEqualTo(home);
    }

    @Test
    void aLaneGetsAnEighthMoreThanItsShare() {
        SubjectHomes homes = SubjectHomes.nearSubscribers(LANES, HEAP);
        int subjects = 2_000_000;
        IntStream.range(0, subjects).forEach(i -> homes.near(key("/" + i), 0));
        long taken = IntStream.range(0, subjects)
                .filter(i -> homes.of(key("/" + i)) == 0)
                .count();
        assertThat((double) taken / subjects).isBetween(0.25, 0.25 * 1.125 + 0.03);
    }

    @Test
    void allLanesSeeTheSameHome() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            SubjectHomes homes = SubjectHomes.nearSubscribers(LANES, HEAP);
            CountDownLatch start = new CountDownLatch(1);
            Set<Integer> seen = ConcurrentHashMap.newKeySet();
            Thread[] threads = IntStream.range(0, LANES)
                    .mapToObj(lane -> Thread.ofPlatform().start(() -> {
                        SubjectKey key = key("/a");
                        try {
                            start.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        homes.near(key, lane);
                        seen.add(homes.of(key));
                    }))
                    .toArray(Thread[]::new);
            start.countDown();
            for (Thread each : threads) {
                each.join();
            }
            assertThat(seen).hasSize(1);
        }
    }
}
