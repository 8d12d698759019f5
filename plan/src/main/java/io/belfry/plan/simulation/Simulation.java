package io.belfry.plan.simulation;

import java.util.stream.IntStream;

/**
 * Places the sessions, lets nodes go, and follows those who lost theirs until they are back. Owner: its caller; one run
 * each.
 *
 * <p>A client is nobody here: of all that try in a step it is drawn how many meet a node that is gone, and how the others
 * spread over those that are there. A node takes what its limits allow and refuses the rest, who try again as the Java
 * client does, somewhere else. Left out: that such a client puts the node that refused it aside, which with thousands of
 * nodes hardly matters; that what is put aside comes back into its list after half a minute; and the time a connection
 * takes by itself. Who is refused learns it at the end of the step.
 */
public final class Simulation {
    private final Scenario scenario;
    private final Scenario.Times times;
    private final Dice dice;
    private final Nodes nodes;
    private final Waiting waiting;
    private final int[] failing;
    private final long[] drained;
    private long lost;
    private long back;
    private long refused;
    private long deadEnds;
    private int begun;

    private Simulation(Scenario scenario) {
        this.scenario = scenario;
        times = scenario.times();
        dice = new Dice(scenario.seed());
        nodes = new Nodes(scenario);
        waiting = new Waiting(scenario, dice);
        failing = anyOf(scenario.weights().nodes(), scenario.failing());
        drained = new long[failing.length];
    }

    private int[] anyOf(int all, int count) {
        int[] order = IntStream.range(0, all).toArray();
        for (int i = 0; i < count; i++) {
            int other = i + dice.below(all - i);
            int chosen = order[other];
            order[other] = order[i];
            order[i] = chosen;
        }
        return java.util.Arrays.copyOf(order, count);
    }

    public static Outcome run(Scenario scenario) {
        return new Simulation(scenario).run();
    }

    private Outcome run() {
        nodes.place(dice);
        Outcome.Fill placed = nodes.fill();
        Chronicle chronicle = new Chronicle(
                nodes,
                scenario,
                IntStream.of(failing).mapToLong(nodes::sessionsOf).sum());
        long steps = (long) Math.ceil(times.untilSeconds() / times.stepSeconds());
        long step = 0;
        while (step < steps && !isOver(step)) {
            begin(step);
            drain(step);
            arrive(step);
            step++;
            chronicle.after(step * times.stepSeconds(), away(), back, refused);
        }
        chronicle.look(step * times.stepSeconds(), away(), back, refused);
        return new Outcome(
                placed,
                nodes.fill(),
                lost,
                chronicle.peak(),
                refused,
                deadEnds,
                nodes.tooQuick(),
                nodes.tooFull(),
                away(),
                chronicle.back(),
                chronicle.moments());
    }

    private long away() {
        return lost - back;
    }

    private boolean isOver(long step) {
        return step > 0 && begun == failing.length && away() == 0 && drainedAll();
    }

    private boolean drainedAll() {
        return scenario.ending() != Scenario.Ending.DRAIN
                || IntStream.of(failing).allMatch(node -> nodes.sessionsOf(node) == 0);
    }

    /** Lets go of the nodes whose wave it is. */
    private void begin(long step) {
        while (begun < failing.length && step * times.stepSeconds() >= waveOf(begun) * scenario.waveSeconds()) {
            int node = failing[begun];
            drained[begun] = nodes.sessionsOf(node);
            nodes.lose(node);
            if (scenario.ending() != Scenario.Ending.DRAIN) {
                long gone = nodes.leave(node, drained[begun]);
                lost += gone;
                noticed(gone, step);
            }
            begun++;
        }
    }

    private int waveOf(int order) {
        return (int) ((long) order * scenario.waves() / failing.length);
    }

    private void noticed(long gone, long step) {
        if (scenario.ending() == Scenario.Ending.SILENT) {
            // Something came within the last ping interval; nothing for two of them is silence.
            waiting.silent(gone, (double) step, times.pingSeconds());
        } else {
            waiting.again(gone, (double) step, 0, 1);
        }
    }

    /** As the server does: with each step as many fewer may stay, each told a time of its own. */
    private void drain(long step) {
        if (scenario.ending() != Scenario.Ending.DRAIN) {
            return;
        }
        for (int i = 0; i < begun; i++) {
            double since = (step + 1) * times.stepSeconds() - waveOf(i) * scenario.waveSeconds();
            double left = 1 - Math.min(1, since / scenario.drainSeconds());
            long leaving = nodes.sessionsOf(failing[i]) - (long) (drained[i] * left);
            if (leaving > 0) {
                long gone = nodes.leave(failing[i], leaving);
                lost += gone;
                waiting.told(gone, (double) step, times.drainSpreadSeconds());
            }
        }
    }

    private void arrive(long step) {
        long[] there = new long[waiting.kinds()];
        long all = 0;
        // Who meets a node that is gone may well try another one within the same step.
        while (waiting.isDue(step)) {
            long[] trying = waiting.take(step);
            for (int kind = 0; kind < trying.length; kind++) {
                long wrong = dice.binomial(trying[kind], nodes.goneShare(Waiting.known(kind)));
                deadEnd(wrong, step + 0.5, kind);
                there[kind] += trying[kind] - wrong;
                all += trying[kind] - wrong;
            }
        }
        long turnedAway = nodes.come(all, dice, step);
        back += all - turnedAway;
        refused += turnedAway;
        again(there, all, turnedAway, step);
    }

    private void deadEnd(long count, double now, int kind) {
        if (count == 0) {
            return;
        }
        deadEnds += count;
        int attempt = Waiting.attempt(kind);
        int known = Waiting.known(kind) + 1;
        switch (scenario.ending()) {
            // A draining node answers with a Retry-After of its own, which keeps nobody from the others.
            case KILL, DRAIN -> waiting.again(count, now, attempt, known);
            case SILENT -> waiting.againAfter(count, now, attempt, known, times.connectSeconds());
        }
    }

    /** Who is refused has nothing to do with how often he has tried: so many of each kind as there are of all. */
    private void again(long[] there, long all, long turnedAway, long step) {
        long left = all;
        long refusedLeft = turnedAway;
        for (int kind = 0; kind < there.length && refusedLeft > 0; kind++) {
            long mine = there[kind] == left
                    ? refusedLeft
                    : Math.min(there[kind], Math.round((double) refusedLeft * there[kind] / left));
            waiting.refused(mine, step + 1.0, Waiting.attempt(kind), Waiting.known(kind), times.retryAfterSeconds());
            left -= there[kind];
            refusedLeft -= mine;
        }
    }
}
