package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The promise as a whole, at random: publishers that repeat what was not answered, followers over every transport that
 * stall, go and come back by another, a network that ends connections after any byte, a server that dies.
 *
 * <p>{@code -Dbelfry.guarantees.seed=N} repeats what a run drew, {@code -Dbelfry.guarantees.seconds=N} is how long each
 * lasts: {@code mvn -pl tests/integration -am verify -Dtest=GuaranteesTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dbelfry.guarantees.seconds=3600}.
 */
@Tag("slow")
final class GuaranteesTest {
    private static final List<String> SETTINGS = List.of(
            "BenchmarkMode=true",
            "CacheSize=1000000",
            "CacheExpireTime=24 h",
            "SlowConsumer.MaxBytes=128 KB",
            "SlowConsumer.Grace=2 s",
            "PingInterval=2 s",
            "Limit.PublishRate=0");

    private static long seconds(long byDefault) {
        return Long.getLong("belfry.guarantees.seconds", byDefault);
    }

    private static Play play(
            long seconds, boolean withIds, int killEveryMillis, Set<String> gapReasons, String... settings) {
        long seed = Long.getLong(
                "belfry.guarantees.seed", ThreadLocalRandom.current().nextLong());
        System.out.println("-Dbelfry.guarantees.seed=" + seed);
        List<String> all = new ArrayList<>(SETTINGS);
        all.addAll(List.of(settings));
        return new Play(new Play.Plan(seed, 1000 * seconds, withIds, killEveryMillis, 0, gapReasons, all));
    }

    private static void requireNoFault(Play play) {
        List<String> faults = play.play();
        System.out.println(play.account());
        assertThat(faults).as(play.toString()).isEmpty();
    }

    @Test
    void overARoughNetworkEveryoneGetsEveryMessageOnceAndInOrder() {
        try (Play play = play(seconds(45), true, 0, Set.of())) {
            requireNoFault(play);
            assertThat(play.delivered()).isGreaterThan(10_000);
        }
    }

    @Test
    void aServerThatDiesWithItsMemoryIsAnAnnouncedGapAndNothingElse() {
        try (Play play = play(seconds(20), true, 3000, Set.of("epoch-changed"))) {
            requireNoFault(play);
            assertThat(play.deaths()).isPositive();
            assertThat(play.gaps()).isPositive();
        }
    }

    /** A check that cannot fail proves nothing: without a msgId repeats are messages of their own, and that shows. */
    @Test
    void withoutMessageIdsTheSameRunFindsDuplicates() {
        try (Play play = play(60, false, 0, Set.of())) {
            assertThat(play.play()).isNotEmpty().anyMatch(fault -> fault.contains("after number"));
        }
    }
}
