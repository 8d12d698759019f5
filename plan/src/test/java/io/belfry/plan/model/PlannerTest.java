package io.belfry.plan.model;

import static io.belfry.plan.model.Given.LARGE;
import static io.belfry.plan.model.Given.NONE;
import static io.belfry.plan.model.Given.SMALL;
import static io.belfry.plan.model.Given.USUAL;
import static io.belfry.plan.model.Given.demands;
import static io.belfry.plan.model.Given.encrypted;
import static io.belfry.plan.model.Given.plan;
import static io.belfry.plan.model.Given.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.belfry.plan.input.Demands.Join;
import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Trouble;
import io.belfry.plan.input.Workload;
import org.junit.jupiter.api.Test;

class PlannerTest {
    private static final double A_MINUTE = 1 / 60.0;

    @Test
    void aLittleFitsOnOneNodeWithoutBrokers() {
        Plan plan = plan(work(10_000, 1, 512, 10), SMALL, USUAL, demands(0, 1, Join.AUTO));
        assertThat(plan.nodes()).isEqualTo(1);
        assertThat(plan.brokers()).isEmpty();
        assertThat(plan.usages()).allMatch(Usage::fits);
    }

    @Test
    void oneNodeLessWouldNotDo() {
        Workload work = work(60_000_000, A_MINUTE, 512, 1000);
        Plan plan = plan(work, SMALL, USUAL, demands(1, 1, Join.AUTO));
        assertThat(plan.usages()).allMatch(Usage::fits);
        Situation less = new Cell(work, demands(1, 1, Join.AUTO)).with(plan.nodes() - 1);
        assertThat(new NodeModel(work, SMALL, USUAL, Given.OURS).usages(less)).anyMatch(each -> !each.fits());
        assertThat(plan.alone().get(plan.bound())).isEqualTo(plan.nodes());
        assertThat(plan.alone().values()).allMatch(alone -> alone <= plan.nodes());
    }

    /** What a node reads of Kafka does not get less by more nodes, so that there are works that no number of them does. */
    @Test
    void aWorkThatEveryNodeWouldHaveToReadWholeDoesNotFitSmallNodes() {
        Workload work = work(60_000_000, A_MINUTE, 512, 1);
        assertThatThrownBy(() -> plan(work, SMALL, NONE, demands(1, 1, Join.AUTO)))
                .isInstanceOfSatisfying(
                        Nonsense.class, wrong -> assertThat(wrong.trouble()).isEqualTo(Trouble.DOES_NOT_FIT))
                .hasMessageContaining("reading from Kafka")
                .hasMessageContaining("cells");
        Plan parts = plan(work, SMALL, NONE, demands(1, 0, Join.AUTO));
        assertThat(parts.cells()).isGreaterThan(1);
        assertThat(parts.usages()).allMatch(Usage::fits);
        assertThat(parts.part().clients() * parts.cells()).isGreaterThanOrEqualTo(60_000_000);
    }

    @Test
    void whatGoesToEveryoneIsPublishedToEachCell() {
        Workload all = work(1_000_000, A_MINUTE, 512, 1_000_000);
        assertThat(all.part(10).published()).isEqualTo(all.published());
        assertThat(work(1_000_000, A_MINUTE, 512, 1).part(10).published())
                .isCloseTo(work(1_000_000, A_MINUTE, 512, 1).published() / 10, within(1e-9));
    }

    @Test
    void moreFailuresToSurviveTakeMoreNodes() {
        Workload work = work(20_000_000, A_MINUTE, 512, 1000);
        long one = plan(work, LARGE, USUAL, demands(1, 1, Join.AUTO)).nodes();
        long three = plan(work, LARGE, USUAL, demands(3, 1, Join.AUTO)).nodes();
        assertThat(three).isGreaterThan(one);
    }

    /** Handshakes are dear: here they, and nothing else, say how many nodes there are. */
    @Test
    void withTlsTheComingBackBounds() {
        Plan plan = plan(encrypted(work(5_000_000, A_MINUTE, 512, 1000)), LARGE, USUAL, demands(1, 1, Join.AUTO));
        assertThat(plan.bound()).isEqualTo(Resource.COMING_BACK);
        assertThat(plan.nodes())
                .isGreaterThan(plan(work(5_000_000, A_MINUTE, 512, 1000), LARGE, USUAL, demands(1, 1, Join.AUTO))
                        .nodes());
    }

    @Test
    void brokersSendToEveryNode() {
        Plan plan = plan(work(60_000_000, A_MINUTE, 512, 1), LARGE, NONE, demands(1, 1, Join.AUTO));
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
    void nodesThatShareNothingNeedNoBrokers() {
        Plan plan = plan(work(60_000_000, A_MINUTE, 512, 1), SMALL, NONE, demands(1, 1, Join.NONE));
        assertThat(plan.brokers()).isEmpty();
        assertThat(plan.usages()).allMatch(Usage::fits);
    }

    @Test
    void aNodeTakesAsMuchAsThePlanGivesIt() {
        Workload work = work(3_000_000, A_MINUTE, 512, 1000);
        Capacity capacity = new Planner(SMALL, USUAL, demands(0, 1, Join.AUTO), Given.OURS).capacity(work, true);
        Plan plan = plan(work, SMALL, USUAL, demands(0, 1, Join.CLUSTER));
        assertThat(plan.sessionsAtWorst()).isLessThanOrEqualTo((double) capacity.sessions());
        double oneLess = 3_000_000.0 / (plan.nodes() - 1);
        assertThat(oneLess + Cell.unevenness(oneLess, plan.nodes() - 1)).isGreaterThan((double) capacity.sessions());
    }
}
