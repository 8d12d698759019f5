package io.belfry.server.alert;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** The figures for the conditions of alerts at one time. Growth covers the last minutes, or the time since the start. */
public interface AlertFigures {
    /** Returns the reason why the node is not ready; empty if it is ready. */
    Optional<String> notReady();

    long sessions();

    /** Returns the current value of a level. */
    long level(Counter counter);

    double growth(Counter counter, int minutes);

    /** Returns the number of refused commands by code; a code without refused commands is absent. */
    Map<Code, Double> refusals(int minutes);

    Map<Code, Double> closes(int minutes);

    Map<Code, Double> drops(int minutes);

    /** Returns the usual number of refusals per second: the mean of the previous day. */
    double usualRefusals(Code code);

    /** Returns the 99th percentile of delivery latency, with the resolution of the buckets in Prometheus. */
    long latencyP99Micros(int minutes);

    /** Returns the 99th percentile of the loop lag of about one minute, by workgroup. */
    Map<String, Long> lagP99Micros();

    /** Returns the used share of the heap, from 0 to 1. */
    double heapShare();

    /** Returns the used share of the files that the process may open, from 0 to 1. */
    double filesShare();

    /** Returns the days until the certificate expires. */
    OptionalDouble certificateDays();

    /** Returns the number of wrong passwords that the monitor received. */
    double denied(int minutes);
}
