package io.belfry.plan.report;

import io.belfry.plan.coefficient.Coefficients;
import io.belfry.plan.input.Demands;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Workload;

/** What was asked, as the head of the answer repeats it. Immutable. */
public record Question(
        Workload load, Machine machine, Demands demands, Coefficients coefficients, Prices prices, boolean explain) {}
