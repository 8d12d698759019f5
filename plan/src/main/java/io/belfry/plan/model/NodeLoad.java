package io.belfry.plan.model;

/**
 * The load of one node at the worst moment, when it is the fullest of the nodes that are left. Immutable.
 *
 * @param sessions on this node
 * @param published messages per second whose publishers are on this node
 * @param read messages per second that this node reads from Kafka; 0 without Kafka
 * @param reconnects sessions per second that arrive from failed nodes
 * @param linked whether messages are published through Kafka
 */
record NodeLoad(Formula sessions, Formula published, Formula read, Formula reconnects, boolean linked) {
    /** Returns the load of a node with this many of all sessions and no failed nodes beside it. */
    static NodeLoad alone(PlanInputs inputs, long sessions, boolean linked) {
        double mine = inputs.published() * sessions / inputs.of(PlanOption.CLIENTS);
        return new NodeLoad(
                Formula.of("sessions", (double) sessions, Unit.COUNT),
                Formula.of("published", mine, Unit.PER_SECOND),
                Formula.of("read", linked ? inputs.published() : 0, Unit.PER_SECOND),
                Formula.of("reconnects", 0, Unit.PER_SECOND),
                linked);
    }

    /** Returns the load of the fullest of this many nodes, after as many have failed as they must survive. */
    static NodeLoad fullest(PlanInputs inputs, long nodes) {
        double left = nodes - inputs.of(PlanOption.SURVIVE);
        Formula clients = Formula.of(inputs, PlanOption.CLIENTS);
        Formula alive = Formula.of("nodes-left", left, Unit.COUNT);
        Formula mean = clients.over(alive);
        Formula fullest =
                left == 1 ? mean : mean.plus(Formula.of("unevenness", unevenness(mean.amount(), left), Unit.COUNT));
        Formula sessions = fullest.called("sessions", Unit.COUNT);
        boolean linked = isLinked(inputs, nodes);
        Formula published = Formula.of("published", inputs.published(), Unit.PER_SECOND);
        return new NodeLoad(
                sessions,
                linked ? published.over(alive) : publishedTo(inputs, sessions),
                linked ? published : Formula.of("read", 0, Unit.PER_SECOND),
                reconnects(inputs, clients, alive, nodes),
                linked);
    }

    /** Returns whether this many nodes exchange messages through Kafka: several, always or never. */
    static boolean isLinked(PlanInputs inputs, long nodes) {
        return switch ((int) inputs.of(PlanOption.CLUSTER)) {
            case 0 -> nodes > 1;
            case 1 -> true;
            default -> false;
        };
    }

    /** Returns the expected excess of the fullest node if each client chooses at random: the maximum of normal variables. */
    static double unevenness(double mean, double nodes) {
        return Math.sqrt(2 * Math.log(nodes) * mean);
    }

    /** Without Kafka, publishers write to each node that has subscribers. */
    private static Formula publishedTo(PlanInputs inputs, Formula sessions) {
        return sessions.times(Formula.of(inputs, PlanOption.RATE))
                .over(Formula.of(inputs, PlanOption.FAN_OUT).atMost(sessions));
    }

    private static Formula reconnects(PlanInputs inputs, Formula clients, Formula alive, long nodes) {
        if (inputs.of(PlanOption.SURVIVE) == 0) {
            return Formula.of("no-failures", 0, Unit.PER_SECOND);
        }
        return clients.times(Formula.of("failed", inputs, PlanOption.SURVIVE))
                .over(Formula.of("nodes", (double) nodes, Unit.COUNT))
                .over(alive)
                .over(Formula.of("window", inputs, PlanOption.RECONNECT_WINDOW));
    }
}
