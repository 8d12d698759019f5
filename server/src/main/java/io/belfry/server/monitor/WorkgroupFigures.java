package io.belfry.server.monitor;

/**
 * Metrics of one workgroup at one time. Immutable.
 *
 * @param loops number of event loops
 * @param lag delay of the loops' ticks within the last minute
 */
public record WorkgroupFigures(String name, int loops, Tally tally, Rates rates, Percentiles lag) {}
