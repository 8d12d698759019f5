package io.belfry.plan.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Workload;
import io.belfry.plan.model.Plan;
import io.belfry.plan.model.Term;
import io.belfry.plan.model.Usage;
import java.util.List;

/** A plan as JSON; bytes, seconds, cores and bits a second throughout. Pure. */
public final class PlanJson {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FORMAT = 1;

    private PlanJson() {}

    public static String of(Question question, Plan plan) {
        ObjectNode root = JSON.createObjectNode().put("format", FORMAT).put("kind", "plan");
        question(root.putObject("question"), question.load(), question.machine());
        root.withObject("/question")
                .put("failures", question.demands().failures())
                .put("windowSeconds", question.demands().windowSeconds());
        root.put("cells", plan.cells())
                .put("nodes", plan.nodes())
                .put("nodesInAll", plan.nodesInAll())
                .put("brokers", plan.brokers().map(Plan.BrokerPlan::brokers).orElse(0L))
                .put("brokersInAll", plan.brokersInAll())
                .put("bound", plan.bound().title())
                .put("sessionsPerNode", plan.sessionsInPeace())
                .put("sessionsAtWorst", plan.sessionsAtWorst())
                .put("heapBytes", plan.heapBytes())
                .put("historyBytes", plan.historyBytes())
                .put("acceptsPerSecond", plan.acceptsPerSecond());
        if (question.prices().given()) {
            root.put("monthlyPrice", question.prices().monthly(plan.nodesInAll(), plan.brokersInAll()));
        }
        ArrayNode assumed = root.putArray("assumed");
        question.coefficients().assumed().forEach(factor -> assumed.add(factor.key()));
        usages(root.putArray("node"), plan.usages(), plan);
        plan.brokers().ifPresent(brokers -> {
            usages(root.putArray("broker"), brokers.usages(), null);
            term(root.putObject("log"), brokers.log());
        });
        return text(root);
    }

    static void question(ObjectNode node, Workload load, Machine machine) {
        node.put("clients", load.clients())
                .put("perClientPerSecond", load.perSecond())
                .put("bytes", load.bytes())
                .put("fanOut", load.audience())
                .put("publishedPerSecond", load.published())
                .put("tls", load.encrypted())
                .put("http", load.streams())
                .put("cores", machine.cores())
                .put("memoryBytes", machine.memoryBytes())
                .put("bitsPerSecond", machine.bitsPerSecond())
                .put("busy", machine.busy());
    }

    private static void usages(ArrayNode list, List<Usage> usages, @org.jspecify.annotations.Nullable Plan plan) {
        for (Usage usage : usages) {
            ObjectNode node = list.addObject()
                    .put("resource", usage.resource().title())
                    .put("unit", usage.resource().unit().symbol())
                    .put("needed", usage.needed())
                    .put("limit", usage.limit().amount())
                    .put("limitFormula", usage.limit().explained());
            if (plan != null) {
                node.put("nodesAlone", plan.alone().get(usage.resource()));
            }
            ArrayNode terms = node.putArray("terms");
            usage.terms().forEach(each -> term(terms.addObject(), each));
        }
    }

    private static void term(ObjectNode node, Term term) {
        node.put("name", term.name())
                .put("amount", term.amount())
                .put("unit", term.unit().symbol())
                .put("formula", term.value().names())
                .put("numbers", term.value().numbers());
    }

    static String text(ObjectNode root) {
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static ObjectNode object() {
        return JSON.createObjectNode();
    }
}
