package io.belfry.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlannerTest {
    private static final long FILES = 20_000;

    private static Planner planner(Scenario scenario, Workload workload) {
        return new Planner(scenario, workload, FILES);
    }

    private static List<GeneratorPlan> subscribers(Scenario scenario, Workload workload) {
        return planner(scenario, workload).subscribers(scenario.rounds(1).getFirst());
    }

    @Test
    void theDefaultsFitOneProcessOfTwentyThousandFiles() {
        for (Scenario scenario : Scenario.values()) {
            Planner planner = planner(scenario, scenario.defaults());
            assertThat(planner.serverTooSmall()).isEmpty();
            assertThat(subscribers(scenario, scenario.defaults())).hasSize(scenario == Scenario.SLOW ? 2 : 1);
        }
    }

    @Test
    void moreClientsThanAProcessMayOpenAreDividedAmongSeveral() {
        Workload many = Scenario.UNICAST.defaults().withClients(50_000).withSubjects(50_000);
        List<GeneratorPlan> plans = subscribers(Scenario.UNICAST, many);

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
                .isEqualTo(many.connectRate());
    }

    @Test
    void aServerThatMayNotOpenSoManyFilesIsToldBefore() {
        Workload many = Scenario.FANOUT.defaults().withClients(30_000);
        assertThat(planner(Scenario.FANOUT, many).serverTooSmall())
                .hasValueSatisfying(
                        sentence -> assertThat(sentence).contains("20,000").contains("ulimit -n 30300"));
    }

    @Test
    void whereTheServerEncryptsEveryoneComesThere() {
        Workload encrypted =
                Scenario.FANOUT.defaults().towards(java.util.Optional.empty(), List.of("ListenEncrypted=127.0.0.1:0"));

        assertThat(planner(Scenario.FANOUT, encrypted).serverSettings("logs"))
                .contains("Listen=none", "ListenEncrypted=127.0.0.1:0");
        assertThat(subscribers(Scenario.FANOUT, encrypted))
                .allSatisfy(plan -> assertThat(plan.settings()).containsEntry("Encrypted", "true"));
    }

    @Test
    void eachClientOfUnicastHasASubjectOfItsOwn() {
        GeneratorPlan plan =
                subscribers(Scenario.UNICAST, Scenario.UNICAST.defaults()).getFirst();
        assertThat(plan.settings()).containsEntry("OneToOne", "true").containsEntry("Subjects", "/p/s{1..15000}/-");
    }

    @Test
    void slowIsRunInPairsWithAndWithoutStalledReadersInTurn() {
        Planner planner = planner(Scenario.SLOW, Scenario.SLOW.defaults());
        assertThat(planner.rounds())
                .extracting(Scenario.Round::name)
                .containsExactly(
                        "1 % stalled 1", "control 1", "control 2", "1 % stalled 2", "1 % stalled 3", "control 3");
        List<GeneratorPlan> stalling = planner.subscribers(planner.rounds().getFirst());
        List<GeneratorPlan> control = planner.subscribers(planner.rounds().getLast());
        assertThat(stalling).extracting(GeneratorPlan::clients).containsExactly(495, 5);
        assertThat(control).extracting(GeneratorPlan::clients).containsExactly(495, 5);
        assertThat(stalling.getFirst().settings()).doesNotContainKey("StalledReaders");
        assertThat(stalling.getLast().settings())
                .containsEntry("StalledReaders", "100 %")
                .containsEntry("StallTime", "30500 ms");
        assertThat(control.getLast().settings()).doesNotContainKeys("StalledReaders", "StallTime");
    }

    @Test
    void churnHasNoPublisherAndHoldsItsConnectionsASecond() {
        Planner planner = planner(Scenario.CHURN, Scenario.CHURN.defaults());
        assertThat(planner.publisher()).isEmpty();
        assertThat(subscribers(Scenario.CHURN, Scenario.CHURN.defaults())
                        .getFirst()
                        .settings())
                .containsEntry("HoldTime", "1 s +-10 %")
                .containsEntry("RampUp", "10000 ms")
                .containsEntry("RampDown", "10000 ms");
    }

    @Test
    void roomsArePublishedToInBurstsOfShortMessages() {
        Planner planner = planner(Scenario.ROOMS, Scenario.ROOMS.defaults());
        assertThat(planner.publisher().orElseThrow().settings())
                .containsEntry("MessageSize", "50")
                .containsEntry("Burst", "10")
                .containsEntry("Subjects", "/room/{1..100}");
    }

    @Test
    void theSentenceSaysWhatEachClientGets() {
        assertThat(planner(Scenario.FANOUT, Scenario.FANOUT.defaults()).sentence())
                .isEqualTo("5,000 clients on 100 subjects; 1,000 messages of 512 bytes a second come in,"
                        + " so that each client gets 10 a second.");
        assertThat(planner(Scenario.UNICAST, Scenario.UNICAST.defaults()).sentence())
                .endsWith("gets 1 a minute.");
    }

    @Test
    void settingsOfTheUserComeLastAndSoWin() {
        Workload workload = Scenario.FANOUT.defaults().towards(java.util.Optional.empty(), List.of("CacheSize=0"));
        assertThat(planner(Scenario.FANOUT, workload).serverSettings("logs")).endsWith("CacheSize=0");
    }

    @Test
    void whatCannotBeIsSaidInTheWordsOfTheOptions() {
        Workload workload = Scenario.FANOUT.defaults();
        assertThatThrownBy(() -> workload.withClients(0)).hasMessageContaining("--clients");
        assertThatThrownBy(() -> workload.withSize(3)).hasMessageContaining("--size");
        assertThatThrownBy(() -> workload.withDurationSeconds(0)).hasMessageContaining("--duration");
    }
}
