package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.TestScope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the delivery guarantees in randomised runs. Publishers repeat unanswered messages. Followers over every
 * transport stall, disconnect and reconnect over another transport. The network ends connections after any byte, and
 * the server is killed.
 *
 * <p>{@code -Dbelfry.guarantees.seed=N} repeats the random choices of a run, {@code -Dbelfry.guarantees.seconds=N}
 * sets the length of each: {@code mvn -pl tests/integration -am verify -Dtest=GuaranteesTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dbelfry.guarantees.seconds=3600 -Dbelfry.testTimeout='2 h'}.
 */
@Tag("slow")
final class GuaranteesTest {
    /** Longer than the longest time until the first stop of a server. */
    private static final int BRIEF_SECONDS = 7;

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

    private static RandomisedRun run(
            int seconds,
            boolean withIds,
            RandomisedRun.Deaths deaths,
            BiPredicate<String, String> mayGap,
            String... settings) {
        long seed = Long.getLong(
                "belfry.guarantees.seed", ThreadLocalRandom.current().nextLong());
        System.out.println("-Dbelfry.guarantees.seed=" + seed);
        List<String> all = new ArrayList<>(SETTINGS);
        all.addAll(List.of(settings));
        long asked =
                Long.getLong("belfry.guarantees.seconds", TestScope.length(seconds, Math.min(seconds, BRIEF_SECONDS)));
        return new RandomisedRun(new RandomisedRun.Plan(seed, 1000 * asked, withIds, deaths, mayGap, all));
    }

    private static void requireNoFault(RandomisedRun run) {
        List<String> faults = run.run();
        System.out.println(run.account());
        assertThat(faults).as(run.toString()).isEmpty();
    }

    @Test
    void networkFaultsCauseNoLossDuplicateOrDisorder() {
        try (RandomisedRun run = run(10, true, RandomisedRun.Deaths.NONE, GuaranteesTest::never)) {
            requireNoFault(run);
            assertThat(run.delivered()).isGreaterThan(10_000);
            assertThat(run.conflatedMessages()).isPositive();
            assertThat(run.gaps()).isZero();
        }
    }

    @Tag("complete")
    @Test
    void everyMessageDroppedForASlowSessionIsAnnounced() {
        try (RandomisedRun run = run(
                10,
                true,
                RandomisedRun.Deaths.NONE,
                (subject, reason) -> reason.equals(subject.startsWith("/play/deep") ? "conflated" : "slow-consumer"),
                "SlowConsumer=drop",
                "SlowConsumer.Subjects=/play/deep/** conflate",
                "MaxBatchingTime=5 ms")) {
            requireNoFault(run);
        }
    }

    @Tag("complete")
    @Test
    void aKillWithHistoryInMemoryCausesOnlyAnAnnouncedGap() {
        try (RandomisedRun run =
                run(10, true, new RandomisedRun.Deaths(3000, 0), (subject, reason) -> reason.equals("epoch-changed"))) {
            requireNoFault(run);
            assertThat(run.deaths()).isPositive();
            assertThat(run.gaps()).isPositive();
        }
    }

    /** Most stops act as {@code kill -9}, some are orderly. Acknowledged messages and the epoch survive both. */
    @Tag("complete")
    @Test
    void aKillWithHistoryOnDiskCausesNoLossOrDuplicate(@TempDir Path folder) {
        try (RandomisedRun run = run(
                15,
                true,
                new RandomisedRun.Deaths(4000, 4),
                GuaranteesTest::never,
                "History=disk",
                "History.Folder=" + folder.resolve("history"))) {
            requireNoFault(run);
            assertThat(run.deaths()).isPositive();
            assertThat(run.gaps()).isZero();
        }
    }

    /** The control: without a msgId repeats are separate messages, and the check must report them. */
    @Tag("complete")
    @Tag("control")
    @Test
    void withoutMessageIdsTheSameRunFindsDuplicates() {
        try (RandomisedRun run = run(10, false, RandomisedRun.Deaths.NONE, GuaranteesTest::never)) {
            assertThat(run.run()).anyMatch(fault -> fault.contains("after number"));
        }
    }
}
