package io.belfry.plan.model;

import static io.belfry.plan.model.PlanFixtures.AUTO;
import static io.belfry.plan.model.PlanFixtures.LARGE;
import static io.belfry.plan.model.PlanFixtures.NO;
import static io.belfry.plan.model.PlanFixtures.NO_HISTORY;
import static io.belfry.plan.model.PlanFixtures.SMALL;
import static io.belfry.plan.model.PlanFixtures.USUAL;
import static io.belfry.plan.model.PlanFixtures.YES;
import static io.belfry.plan.model.PlanFixtures.all;
import static io.belfry.plan.model.PlanFixtures.inputs;
import static io.belfry.plan.model.PlanFixtures.plan;
import static io.belfry.plan.model.PlanFixtures.requirements;
import static io.belfry.plan.model.PlanFixtures.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.belfry.plan.model.CapacityPlanner.Capacity;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CapacityPlannerTest {
    private static final double A_MINUTE = 1 / 60.0;

    @Test
    void aSmallLoadFitsOnOneNodeWithoutBrokers() {
        Plan plan = plan(work(10_000, 1, 512, 10), SMALL, USUAL, requirements(0, 1, AUTO));
        assertThat(plan.nodes()).isEqualTo(1);
        assertThat(plan.brokers()).isEmpty();
        assertThat(plan.usages()).allMatch(Usage::fits);
    }

    @Test
    void oneNodeLessIsNotEnough() {
        Map<PlanOption, Double> work = work(60_000_000, A_MINUTE, 512, 1000);
        Plan plan = plan(work, SMALL, USUAL, requirements(1, 1, AUTO));
        assertThat(plan.usages()).allMatch(Usage::fits);
        PlanInputs inputs = inputs(work, SMALL, USUAL, requirements(1, 1, AUTO));
        assertThat(new NodeModel(inputs, PlanFixtures.BUILT_IN).usages(plan.nodes() - 1))
                .anyMatch(each -> !each.fits());
        assertThat(plan.alone().get(plan.bound())).isEqualTo(plan.nodes());
        assertThat(plan.alone().values()).allMatch(alone -> alone <= plan.nodes());
    }

    /** Every node reads all messages from Kafka, so more nodes do not reduce that part of the load. */
    @Test
    void smallNodesCannotReadALargeStreamFromKafka() {
        Map<PlanOption, Double> work = work(60_000_000, A_MINUTE, 512, 1);
        assertThatThrownBy(() -> plan(work, SMALL, NO_HISTORY, requirements(1, 1, AUTO)))
                .isInstanceOfSatisfying(
                        PlanError.class, error -> assertThat(error.code()).isEqualTo(PlanError.Code.DOES_NOT_FIT))
                .hasMessageContaining("reading from Kafka")
                .hasMessageContaining("cells");
        Plan parts = plan(work, SMALL, NO_HISTORY, requirements(1, 0, AUTO));
        assertThat(parts.cells()).isGreaterThan(1);
        assertThat(parts.usages()).allMatch(Usage::fits);
        assertThat(parts.part().whole(PlanOption.CLIENTS) * parts.cells()).isGreaterThanOrEqualTo(60_000_000);
    }

    @Test
    void aMessageForAllIsPublishedInEachCell() {
        PlanInputs all = inputs(work(1_000_000, A_MINUTE, 512, 1_000_000), SMALL, USUAL, requirements(0, 1, AUTO));
        assertThat(all.part(10).published()).isEqualTo(all.published());
        PlanInputs each = inputs(work(1_000_000, A_MINUTE, 512, 1), SMALL, USUAL, requirements(0, 1, AUTO));
        assertThat(each.part(10).published()).isCloseTo(each.published() / 10, within(1e-9));
    }

    @Test
    void survivingMoreFailuresNeedsMoreNodes() {
        Map<PlanOption, Double> work = work(20_000_000, A_MINUTE, 512, 1000);
        long one = plan(work, LARGE, USUAL, requirements(1, 1, AUTO)).nodes();
        long three = plan(work, LARGE, USUAL, requirements(3, 1, AUTO)).nodes();
        assertThat(three).isGreaterThan(one);
    }

    /** TLS handshakes are expensive: here they alone determine the number of nodes. */
    @Test
    void withTlsReconnectsAreTheBound() {
        Plan plan =
                plan(all(work(5_000_000, A_MINUTE, 512, 1000), PlanOption.TLS), LARGE, USUAL, requirements(1, 1, AUTO));
        assertThat(plan.bound()).isEqualTo(Resource.RECONNECTS);
        assertThat(plan.nodes())
                .isGreaterThan(plan(work(5_000_000, A_MINUTE, 512, 1000), LARGE, USUAL, requirements(1, 1, AUTO))
                        .nodes());
    }

    @Test
    void brokersSendToEveryNode() {
        Plan plan = plan(work(60_000_000, A_MINUTE, 512, 1), LARGE, NO_HISTORY, requirements(1, 1, AUTO));
        Plan.BrokerPlan brokers = plan.brokers().orElseThrow();
        assertThat(brokers.brokers()).isGreaterThanOrEqualTo(3);
        assertThat(brokers.usages()).allMatch(Usage::fits);
        Usage out = brokers.usages().stream()
                .filter(each -> each.resource() == Resource.NETWORK_OUT)
                .findFirst()
                .orElseThrow();
        double record = 512 + 16 + 70;
        assertThat(out.needed() * (brokers.brokers() - 1))
                .isCloseTo(1e6 * record * 8 * (plan.nodes() + 2), within(1e6));
    }

    @Test
    void nodesWithoutKafkaNeedNoBrokers() {
        Plan plan = plan(work(60_000_000, A_MINUTE, 512, 1), SMALL, NO_HISTORY, requirements(1, 1, NO));
        assertThat(plan.brokers()).isEmpty();
        assertThat(plan.usages()).allMatch(Usage::fits);
    }

    @Test
    void capacityAgreesWithThePlan() {
        Map<PlanOption, Double> work = work(3_000_000, A_MINUTE, 512, 1000);
        PlanInputs inputs = inputs(work, SMALL, USUAL, requirements(0, 1, AUTO));
        Capacity capacity = new CapacityPlanner(inputs, PlanFixtures.BUILT_IN).capacity(true);
        Plan plan = plan(work, SMALL, USUAL, requirements(0, 1, YES));
        assertThat(plan.sessionsAtWorst()).isLessThanOrEqualTo((double) capacity.sessions());
        double oneLess = 3_000_000.0 / (plan.nodes() - 1);
        assertThat(oneLess + NodeLoad.unevenness(oneLess, plan.nodes() - 1.0))
                .isGreaterThan((double) capacity.sessions());
    }
}
