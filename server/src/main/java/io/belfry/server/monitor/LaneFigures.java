package io.belfry.server.monitor;

/**
 * Metrics of one event loop. Immutable.
 *
 * @param lagMaxMicros largest delay of a tick within the last sampling interval
 */
public record LaneFigures(String workgroup, Tally tally, Rates rates, long lagMaxMicros) {}
