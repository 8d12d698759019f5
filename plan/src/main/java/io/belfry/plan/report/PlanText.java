package io.belfry.plan.report;

import io.belfry.plan.coefficient.Factor;
import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.input.Demands;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Workload;
import io.belfry.plan.model.Plan;
import io.belfry.plan.model.Term;
import io.belfry.plan.model.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A plan as lines of text. Pure. */
public final class PlanText {
    private static final double HUNDRED = 100;

    private final Question question;
    private final Plan plan;
    private final List<String> lines = new ArrayList<>();

    private PlanText(Question question, Plan plan) {
        this.question = question;
        this.plan = plan;
    }

    public static List<String> of(Question question, Plan plan) {
        return new PlanText(question, plan).lines();
    }

    private List<String> lines() {
        lines.addAll(head(question.load(), question.machine()));
        lines.add(failing(question.demands()));
        add("");
        summary();
        add("");
        String worst = question.demands().failures() == 0
                ? "the fullest node"
                : "the fullest node, " + question.demands().failures() + " of " + plan.nodes() + " failed";
        usages(worst, plan.usages(), true);
        plan.brokers().ifPresent(brokers -> {
            add("");
            usages(
                    "each broker, " + question.demands().brokers().failures() + " of " + brokers.brokers() + " failed",
                    brokers.usages(),
                    false);
            term(brokers.log());
        });
        weakest();
        return lines;
    }

    /** The work and the machine, as the first lines of every answer have them. */
    static List<String> head(Workload load, Machine machine) {
        return List.of(
                String.format(
                        Locale.ROOT,
                        "%,d clients, each gets %s of %s, %s a subject; published %s, delivered %s",
                        load.clients(),
                        often(load.perSecond()),
                        Unit.BYTES.show(load.bytes()),
                        load.audience() == 1 ? "one session" : Unit.COUNT.show(load.audience()) + " sessions",
                        Unit.PER_SECOND.show(load.published()),
                        Unit.PER_SECOND.show(load.clients() * load.perSecond())),
                String.format(
                        Locale.ROOT,
                        "a node: %s, %s, %s; busy to %s at most, %s of the memory",
                        Unit.COUNT.show(machine.cores()) + " cores",
                        Unit.BYTES.show(machine.memoryBytes()),
                        Unit.BITS_PER_SECOND.show(machine.bitsPerSecond()),
                        Unit.SHARE.show(machine.busy()),
                        Unit.SHARE.show(machine.memoryShare())));
    }

    private static String often(double perSecond) {
        return perSecond >= 1 || perSecond == 0
                ? Unit.PER_SECOND.show(perSecond)
                : perSecond * 60 >= 1
                        ? Unit.COUNT.show(perSecond * 60) + "/min"
                        : Unit.COUNT.show(perSecond * 3600) + "/h";
    }

    private static String failing(Demands demands) {
        return demands.failures() == 0
                ? "none may fail (--survive)"
                : String.format(
                        Locale.ROOT,
                        "%d may fail at once; their clients come back within %s",
                        demands.failures(),
                        Unit.SECONDS.show(demands.windowSeconds()));
    }

    private void summary() {
        String each = plan.cells() > 1
                ? String.format(Locale.ROOT, " in each of %,d cells, %,d in all", plan.cells(), plan.nodesInAll())
                : "";
        Usage bound = plan.usage(plan.bound());
        row("nodes", String.format(Locale.ROOT, "%,d%s", plan.nodes(), each));
        row(
                "bound by",
                plan.bound().title()
                        + (bound.terms().size() > 1
                                ? ", most of it for " + bound.largest().name()
                                : ""));
        plan.brokers()
                .ifPresent(brokers -> row(
                        "brokers",
                        String.format(Locale.ROOT, "%,d", brokers.brokers())
                                + (plan.cells() > 1
                                        ? String.format(Locale.ROOT, " in each cell, %,d in all", plan.brokersInAll())
                                        : "")));
        row(
                "sessions",
                String.format(
                        Locale.ROOT,
                        "%,.0f a node, %,.0f on the fullest at worst",
                        plan.sessionsInPeace(),
                        plan.sessionsAtWorst()));
        if (question.prices().given()) {
            row(
                    "a month",
                    String.format(
                            Locale.ROOT, "%,.0f", question.prices().monthly(plan.nodesInAll(), plan.brokersInAll())));
        }
        row("set", "Memory = " + megabytes(plan.heapBytes()));
        row("", "CacheMemory = " + megabytes(plan.historyBytes()));
        row("", String.format(Locale.ROOT, "Limit.Connections = %.0f", Math.ceil(plan.sessionsAtWorst())));
        row("", String.format(Locale.ROOT, "Limit.ConnectRate = %.0f", Math.floor(plan.acceptsPerSecond())));
    }

    private void usages(String title, List<Usage> usages, boolean nodes) {
        add(String.format(
                Locale.ROOT,
                "%-28s %14s %14s %7s%s",
                title.length() > 28 ? "" : title,
                "needed",
                "limit",
                "used",
                nodes ? "   alone" : ""));
        if (title.length() > 28) {
            lines.add(lines.size() - 1, title);
        }
        for (Usage usage : usages) {
            add(String.format(
                    Locale.ROOT,
                    "%-28s %14s %14s %6.0f%%%s",
                    usage.resource().title(),
                    usage.resource().unit().show(usage.needed()),
                    usage.limit().shown(),
                    usage.share() * HUNDRED,
                    nodes ? String.format(Locale.ROOT, " %,7d", plan.alone().getOrDefault(usage.resource(), 0L)) : ""));
            if (question.explain()) {
                usage.terms().forEach(this::term);
                add("      limit: " + usage.limit().explained());
            } else if (usage.terms().size() > 1) {
                usage.terms().stream().filter(each -> each.amount() > 0).forEach(this::term);
            }
        }
        if (nodes && !question.explain()) {
            add("alone: the nodes that this by itself would want; --explain has every formula");
        }
    }

    private void term(Term term) {
        add(String.format(Locale.ROOT, "  %-26s %14s", term.name(), term.shown()));
        if (question.explain()) {
            add("      " + term.explained());
        }
    }

    /** Figures that nobody has measured are named, for a plan is as good as its weakest one. */
    private void weakest() {
        String assumed =
                question.coefficients().assumed().stream().map(Factor::key).collect(Collectors.joining(", "));
        if (!assumed.isEmpty()) {
            add("");
            add("not measured but assumed: " + assumed);
        }
    }

    private void row(String name, String text) {
        add(String.format(Locale.ROOT, "%-10s %s", name, text));
    }

    private void add(String line) {
        lines.add(line.stripTrailing());
    }

    private static String megabytes(double bytes) {
        return String.format(Locale.ROOT, "%.0f MB", Math.ceil(bytes / 0x1p20));
    }
}
