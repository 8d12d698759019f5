package io.belfry.server.monitor;

/**
 * One workgroup at one moment. Immutable.
 *
 * @param loops how many event loops it has
 * @param lag how much later than asked its loops ran their ticks within the last minute
 */
public record WorkgroupFigures(String name, int loops, Tally tally, Rates rates, Percentiles lag) {}
