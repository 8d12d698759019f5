package io.belfry.plan;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.plan.model.Formula;
import io.belfry.plan.model.Plan;
import io.belfry.plan.model.PlanInputs;
import io.belfry.plan.model.PlanOption;
import io.belfry.plan.model.Resource;
import io.belfry.plan.model.Unit;
import io.belfry.plan.model.Usage;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A plan as text and as JSON. Immutable.
 *
 * @param assumed keys of the coefficients that nobody has measured
 * @param monthlyPrice of all nodes and brokers in any currency; empty: no price was given
 * @param explain whether to print the formulas
 */
record PlanReport(PlanInputs inputs, List<String> assumed, Plan plan, Optional<Double> monthlyPrice, boolean explain) {
    private static final int TITLE_MAX = 28;

    /** Returns the plan as text. */
    String text() {
        ReportText out = new ReportText();
        inputs(out);
        out.line("");
        summary(out);
        out.line("");
        long failures = inputs.whole(PlanOption.SURVIVE);
        String of = failures == 0 ? "" : ", " + failures + " of " + plan.nodes() + " failed";
        usages(out, "fullest node" + of, plan.usages(), plan.alone());
        if (!explain) {
            out.line("alone: nodes that this resource by itself needs; --explain prints the formulas");
        }
        plan.brokers().ifPresent(brokers -> {
            out.line("");
            long failed = inputs.whole(PlanOption.SURVIVE_BROKERS);
            String title = "each broker, " + failed + " of " + brokers.brokers() + " failed";
            usages(out, title, brokers.usages(), Map.of());
            term(out, "log", brokers.log(), Unit.BYTES);
        });
        if (!assumed.isEmpty()) {
            out.line("");
            out.line("coefficients not measured but assumed: %s", String.join(", ", assumed));
        }
        return out.text();
    }

    private void inputs(ReportText out) {
        double fanOut = inputs.of(PlanOption.FAN_OUT);
        double clients = inputs.of(PlanOption.CLIENTS);
        double rate = inputs.of(PlanOption.RATE);
        String sessions = fanOut == 1 ? "1 session" : shown(PlanOption.FAN_OUT) + " sessions";
        String published = Unit.PER_SECOND.show(inputs.published());
        String delivered = Unit.PER_SECOND.show(clients * rate);
        out.line(
                "%,.0f clients, each receives %s of %s, %s per message; published %s, delivered %s",
                clients, rate(rate), shown(PlanOption.SIZE), sessions, published, delivered);
        out.line(
                "node: %s cores, %s, %s; limits: %s of cores and network, %s of the memory",
                shown(PlanOption.CORES),
                shown(PlanOption.MEMORY),
                shown(PlanOption.NETWORK),
                shown(PlanOption.BUSY),
                shown(PlanOption.MEMORY_SHARE));
        out.line(
                inputs.of(PlanOption.SURVIVE) == 0
                        ? "no node may fail (--survive)"
                        : "%.0f may fail at once; their clients reconnect within %s",
                inputs.of(PlanOption.SURVIVE),
                shown(PlanOption.RECONNECT_WINDOW));
    }

    private String shown(PlanOption option) {
        return option.unit().show(inputs.of(option));
    }

    private static String rate(double perSecond) {
        if (perSecond >= 1 || perSecond == 0) {
            return Unit.PER_SECOND.show(perSecond);
        }
        return perSecond * 60 >= 1
                ? Unit.COUNT.show(perSecond * 60) + "/min"
                : Unit.COUNT.show(perSecond * 3600) + "/h";
    }

    private void summary(ReportText out) {
        Usage bound = plan.usage(plan.bound());
        String largest =
                bound.terms().size() > 1 ? ", most of it for " + bound.largest().getKey() : "";
        row(out, "nodes", count(plan.nodes(), plan.nodesInAll()));
        row(out, "bound by", plan.bound().title() + largest);
        plan.brokers().ifPresent(brokers -> row(out, "brokers", count(brokers.brokers(), plan.brokersInAll())));
        row(out, "sessions", "%,.0f per node, at most %,.0f", plan.sessionsNormally(), plan.sessionsAtWorst());
        monthlyPrice.ifPresent(price -> row(out, "per month", "%,.0f", price));
        row(out, "set", "Memory = %.0f MB", Math.ceil(plan.memoryBytes(Plan.HEAP) / 0x1p20));
        row(out, "", "CacheMemory = %.0f MB", Math.ceil(plan.memoryBytes(Plan.HISTORY) / 0x1p20));
        row(out, "", "Limit.Connections = %.0f", Math.ceil(plan.sessionsAtWorst()));
        row(out, "", "Limit.ConnectRate = %.0f", Math.floor(plan.acceptsPerSecond()));
    }

    private static void row(ReportText out, String name, String format, Object... values) {
        out.line("%-10s %s", name, ReportText.format(format, values));
    }

    private String count(long each, long inAll) {
        return plan.cells() == 1
                ? ReportText.format("%,d", each)
                : ReportText.format("%,d in each of %,d cells, %,d in total", each, plan.cells(), inAll);
    }

    private void usages(ReportText out, String title, List<Usage> usages, Map<Resource, Long> alone) {
        boolean separate = title.length() > TITLE_MAX;
        if (separate) {
            out.line(title);
        }
        String last = alone.isEmpty() ? "" : "   alone";
        out.line("%-28s %14s %14s %7s%s", separate ? "" : title, "needed", "limit", "used", last);
        for (Usage usage : usages) {
            Unit unit = usage.resource().unit();
            Long nodes = alone.get(usage.resource());
            String needed = unit.show(usage.needed());
            String limit = unit.show(usage.limit().amount());
            String column = nodes == null ? "" : ReportText.format(" %,7d", nodes);
            out.line("%-28s %14s %14s %6.0f%%%s", usage.resource().title(), needed, limit, 100 * usage.share(), column);
            boolean several = usage.terms().size() > 1;
            usage.terms().forEach((name, term) -> {
                if (explain || (several && term.amount() > 0)) {
                    term(out, name, term, unit);
                }
            });
            if (explain) {
                out.line("      limit: %s", usage.limit().explained());
            }
        }
    }

    private void term(ReportText out, String name, Formula term, Unit unit) {
        out.line("  %-26s %14s", name, unit.show(term.amount()));
        if (explain) {
            out.line("      %s", term.explained());
        }
    }

    /** Returns the plan as JSON; all amounts are in bytes, seconds, cores and bits per second. */
    String json() {
        ObjectNode root = ReportText.json("plan");
        root.putObject("question")
                .put("clients", inputs.whole(PlanOption.CLIENTS))
                .put("perClientPerSecond", inputs.of(PlanOption.RATE))
                .put("bytes", inputs.whole(PlanOption.SIZE))
                .put("fanOut", inputs.of(PlanOption.FAN_OUT))
                .put("publishedPerSecond", inputs.published())
                .put("tls", inputs.of(PlanOption.TLS))
                .put("http", inputs.of(PlanOption.HTTP))
                .put("cores", inputs.of(PlanOption.CORES))
                .put("memoryBytes", inputs.whole(PlanOption.MEMORY))
                .put("bitsPerSecond", inputs.of(PlanOption.NETWORK))
                .put("busy", inputs.of(PlanOption.BUSY))
                .put("failures", inputs.whole(PlanOption.SURVIVE))
                .put("windowSeconds", inputs.of(PlanOption.RECONNECT_WINDOW));
        root.put("cells", plan.cells())
                .put("nodes", plan.nodes())
                .put("nodesInAll", plan.nodesInAll())
                .put("brokers", plan.brokers().map(Plan.BrokerPlan::brokers).orElse(0L))
                .put("brokersInAll", plan.brokersInAll())
                .put("bound", plan.bound().title())
                .put("sessionsPerNode", plan.sessionsNormally())
                .put("sessionsAtWorst", plan.sessionsAtWorst())
                .put("heapBytes", plan.memoryBytes(Plan.HEAP))
                .put("historyBytes", plan.memoryBytes(Plan.HISTORY))
                .put("acceptsPerSecond", plan.acceptsPerSecond());
        monthlyPrice.ifPresent(price -> root.put("monthlyPrice", price));
        root.putPOJO("assumed", assumed);
        usages(root.putArray("node"), plan.usages(), plan.alone());
        plan.brokers().ifPresent(brokers -> {
            usages(root.putArray("broker"), brokers.usages(), Map.of());
            term(root.putObject("log"), "log", brokers.log(), Unit.BYTES);
        });
        return root.toPrettyString();
    }

    private static void usages(ArrayNode list, List<Usage> usages, Map<Resource, Long> alone) {
        for (Usage usage : usages) {
            Unit unit = usage.resource().unit();
            ObjectNode node = list.addObject()
                    .put("resource", usage.resource().title())
                    .put("unit", unit.symbol())
                    .put("needed", usage.needed())
                    .put("limit", usage.limit().amount())
                    .put("limitFormula", usage.limit().explained());
            if (!alone.isEmpty()) {
                node.put("nodesAlone", alone.get(usage.resource()));
            }
            ArrayNode terms = node.putArray("terms");
            usage.terms().forEach((name, term) -> term(terms.addObject(), name, term, unit));
        }
    }

    private static void term(ObjectNode node, String name, Formula term, Unit unit) {
        node.put("name", name)
                .put("amount", term.amount())
                .put("unit", unit.symbol())
                .put("formula", term.names())
                .put("numbers", term.numbers());
    }
}
