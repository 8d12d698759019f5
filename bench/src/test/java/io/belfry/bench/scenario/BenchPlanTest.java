package io.belfry.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.bench.scenario.BenchPlan.GeneratorPlan;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchPlanTest {
    private static final long FILES = 20_000;

    private static BenchPlan plan(BenchScenario scenario, BenchWorkload workload) {
        return new BenchPlan(scenario, workload, FILES);
    }

    private static List<GeneratorPlan> subscribers(BenchScenario scenario, BenchWorkload workload) {
        return plan(scenario, workload).subscribers(scenario.rounds(1).getFirst());
    }

    @Test
    void theDefaultsFitOneProcessOfTwentyThousandFiles() {
        for (BenchScenario scenario : BenchScenario.values()) {
            BenchPlan plan = plan(scenario, scenario.defaults());
            assertThat(plan.serverTooSmall()).isEmpty();
            assertThat(subscribers(scenario, scenario.defaults())).hasSize(scenario == BenchScenario.SLOW ? 2 : 1);
        }
    }

    @Test
    void processorsAreAListOfNumbersAndRanges() {
        BenchWorkload workload = BenchScenario.UNICAST.defaults();
        assertThat(plan(BenchScenario.UNICAST, workload).serverPrefix()).isEmpty();
        workload.serverCpus = "0,2-3";
        workload.check();
        assertThat(plan(BenchScenario.UNICAST, workload).serverPrefix()).containsExactly("taskset", "-c", "0,2-3");
        workload.generatorCpus = "1 -p";
        assertThatThrownBy(workload::check).hasMessage("--generator-cpus must be a list such as 0,2-3, not 1 -p");
    }

    @Test
    void moreClientsThanOpenFilesAreDividedAmongProcesses() {
        BenchWorkload many = BenchScenario.UNICAST.defaults(50_000);
        List<GeneratorPlan> plans = subscribers(BenchScenario.UNICAST, many);

        assertThat(plans).hasSize(4);
        assertThat(plans)
                .extracting(GeneratorPlan::name)
                .containsExactly("benchsub-1", "benchsub-2", "benchsub-3", "benchsub-4");
        assertThat(plans.stream().mapToInt(GeneratorPlan::clients).sum()).isEqualTo(50_000);
        assertThat(plans).allSatisfy(plan -> assertThat(plan.clients()).isLessThanOrEqualTo(16_000));
        assertThat(plans)
                .extracting(plan -> plan.settings().get("Subjects"))
                .containsExactly(
                        "/p/s{1..12500}/-", "/p/s{12501..25000}/-", "/p/s{25001..37500}/-", "/p/s{37501..50000}/-");
        assertThat(plans.stream()
                        .mapToInt(plan -> Integer.parseInt(plan.settings().getOrDefault("ConnectRate", "0")))
                        .sum())
                .isEqualTo(many.connectRate);
    }

    @Test
    void aServerWithTooFewOpenFilesIsReportedBeforeTheStart() {
        BenchWorkload many = BenchScenario.FANOUT.defaults(30_000);
        assertThat(plan(BenchScenario.FANOUT, many).serverTooSmall())
                .hasValueSatisfying(
                        sentence -> assertThat(sentence).contains("20,000").contains("ulimit -n 30300"));
    }

    @Test
    void allClientsConnectToAnEncryptedListener() {
        BenchWorkload encrypted = BenchScenario.FANOUT.defaults();
        encrypted.serverSettings = List.of("ListenEncrypted=127.0.0.1:0");

        assertThat(plan(BenchScenario.FANOUT, encrypted).serverSettings("logs"))
                .contains("Listen=none", "ListenEncrypted=127.0.0.1:0");
        assertThat(subscribers(BenchScenario.FANOUT, encrypted))
                .allSatisfy(plan -> assertThat(plan.settings()).containsEntry("Encrypted", "true"));
    }

    @Test
    void eachClientOfUnicastHasItsOwnSubject() {
        GeneratorPlan plan = subscribers(BenchScenario.UNICAST, BenchScenario.UNICAST.defaults())
                .getFirst();
        assertThat(plan.settings()).containsEntry("OneToOne", "true").containsEntry("Subjects", "/p/s{1..15000}/-");
    }

    @Test
    void slowRunsPairsWithAndWithoutStalledReaders() {
        BenchPlan plan = plan(BenchScenario.SLOW, BenchScenario.SLOW.defaults());
        assertThat(plan.rounds())
                .extracting(BenchScenario.Round::name)
                .containsExactly(
                        "1 % stalled 1", "control 1", "control 2", "1 % stalled 2", "1 % stalled 3", "control 3");
        List<GeneratorPlan> stalling = plan.subscribers(plan.rounds().getFirst());
        List<GeneratorPlan> control = plan.subscribers(plan.rounds().getLast());
        assertThat(stalling).extracting(GeneratorPlan::clients).containsExactly(495, 5);
        assertThat(control).extracting(GeneratorPlan::clients).containsExactly(495, 5);
        assertThat(stalling.getFirst().settings()).doesNotContainKey("StalledReaders");
        assertThat(stalling.getLast().settings())
                .containsEntry("StalledReaders", "100 %")
                .containsEntry("StallTime", "30500 ms");
        assertThat(control.getLast().settings()).doesNotContainKeys("StalledReaders", "StallTime");
    }

    @Test
    void churnHasNoPublisherAndHoldsConnectionsForASecond() {
        BenchPlan plan = plan(BenchScenario.CHURN, BenchScenario.CHURN.defaults());
        assertThat(plan.publisher()).isEmpty();
        assertThat(subscribers(BenchScenario.CHURN, BenchScenario.CHURN.defaults())
                        .getFirst()
                        .settings())
                .containsEntry("HoldTime", "1 s +-10 %")
                .containsEntry("RampUp", "10000 ms")
                .containsEntry("RampDown", "10000 ms");
    }

    @Test
    void roomsReceiveBurstsOfShortMessages() {
        BenchPlan plan = plan(BenchScenario.ROOMS, BenchScenario.ROOMS.defaults());
        assertThat(plan.publisher().orElseThrow().settings())
                .containsEntry("MessageSize", "50")
                .containsEntry("Burst", "10")
                .containsEntry("Subjects", "/room/{1..100}");
    }

    @Test
    void theSentenceHasTheRateOfEachClient() {
        assertThat(plan(BenchScenario.FANOUT, BenchScenario.FANOUT.defaults()).sentence())
                .isEqualTo("5,000 clients on 100 subjects; 1,000 messages of 512 bytes published per second,"
                        + " so that each client receives 10 per second.");
        assertThat(plan(BenchScenario.UNICAST, BenchScenario.UNICAST.defaults()).sentence())
                .endsWith("receives 1 per minute.");
    }

    @Test
    void settingsOfTheUserTakePrecedence() {
        BenchWorkload workload = BenchScenario.FANOUT.defaults();
        workload.serverSettings = List.of("CacheSize=0");
        assertThat(plan(BenchScenario.FANOUT, workload).serverSettings("logs")).endsWith("CacheSize=0");
    }

    @Test
    void errorsNameTheOption() {
        BenchWorkload clients = BenchScenario.FANOUT.defaults(0);
        BenchWorkload size = BenchScenario.FANOUT.defaults();
        size.size = 3;
        BenchWorkload duration = BenchScenario.FANOUT.defaults();
        duration.durationSeconds = 0;
        assertThatThrownBy(clients::check).hasMessageContaining("--clients");
        assertThatThrownBy(size::check).hasMessageContaining("--size");
        assertThatThrownBy(duration::check).hasMessageContaining("--duration");
    }
}
