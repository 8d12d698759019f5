package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
            "CacheExpireTime=10 m",
            "CacheMemory=1 GB",
            "MaxMessageSize=16 KB",
            "SlowConsumer.MaxBytes=16 KB",
            "SlowConsumer.Grace=1 s",
            "Monitor=HTTP",
            "MonitorHTTP.Listen=127.0.0.1:0",
            "MonitorHTTP.Authentication=false",
            "PingInterval=2 s",
            "Limit.HandshakeTime=1 m",
            "Limit.PublishRate=0");

    private static boolean never(String subject, String reason) {
        return false;
    }

    private static Play play(
            long seconds, boolean withIds, Play.Deaths deaths, BiPredicate<String, String> mayGap, String... settings) {
        long seed = Long.getLong(
                "belfry.guarantees.seed", ThreadLocalRandom.current().nextLong());
        System.out.println("-Dbelfry.guarantees.seed=" + seed);
        List<String> all = new ArrayList<>(SETTINGS);
        all.addAll(List.of(settings));
        long asked = Long.getLong("belfry.guarantees.seconds", seconds);
        return new Play(new Play.Plan(seed, 1000 * asked, withIds, deaths, mayGap, all));
    }

    private static void requireNoFault(Play play) {
        List<String> faults = play.play();
        System.out.println(play.account());
        assertThat(faults).as(play.toString()).isEmpty();
    }

    @Test
    void overARoughNetworkEveryoneGetsEveryMessageOnceAndInOrder() {
        try (Play play = play(40, true, Play.Deaths.NONE, GuaranteesTest::never)) {
            requireNoFault(play);
            assertThat(play.delivered()).isGreaterThan(10_000);
            assertThat(play.steppedOver()).isPositive();
            assertThat(play.gaps()).isZero();
        }
    }

    @Test
    void whatIsLeftOutForSlowSessionsIsAnnouncedAndNothingElseIs() {
        try (Play play = play(
                20,
                true,
                Play.Deaths.NONE,
                (subject, reason) -> reason.equals(subject.startsWith("/play/deep") ? "conflated" : "slow-consumer"),
                "SlowConsumer=drop",
                "SlowConsumer.Subjects=/play/deep/** conflate",
                "MaxBatchingTime=5 ms")) {
            requireNoFault(play);
        }
    }

    @Test
    void aServerThatDiesWithItsMemoryIsAnAnnouncedGapAndNothingElse() {
        try (Play play =
                play(20, true, new Play.Deaths(3000, 0), (subject, reason) -> reason.equals("epoch-changed"))) {
            requireNoFault(play);
            assertThat(play.deaths()).isPositive();
            assertThat(play.gaps()).isPositive();
        }
    }

    /** As {@code kill -9}, and now and then an orderly stop: what was acknowledged is there after it, and the epoch too. */
    @Test
    void aServerThatIsKilledWithItsHistoryOnDiskLosesAndDoublesNothing(@TempDir Path folder) {
        try (Play play = play(
                40,
                true,
                new Play.Deaths(4000, 4),
                GuaranteesTest::never,
                "History=disk",
                "History.Folder=" + folder.resolve("history"))) {
            requireNoFault(play);
            assertThat(play.deaths()).isPositive();
            assertThat(play.gaps()).isZero();
        }
    }

    /** A check that cannot fail proves nothing: without a msgId repeats are messages of their own, and that shows. */
    @Test
    void withoutMessageIdsTheSameRunFindsDuplicates() {
        try (Play play = play(20, false, Play.Deaths.NONE, GuaranteesTest::never)) {
            assertThat(play.play()).anyMatch(fault -> fault.contains("after number"));
        }
    }
}
