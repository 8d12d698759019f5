package io.belfry.server.turn;

import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;

/** Logs each distinct failure once with its stack trace, and later only how often it was repeated. Owner: one loop. */
final class Failures {
    private static final int DISTINCT_MAX = 256;

    private final Logger log;
    private final Map<String, Integer> counts = new HashMap<>();

    Failures(Logger log) {
        this.log = log;
    }

    void log(Throwable failure) {
        StackTraceElement[] trace = failure.getStackTrace();
        String name = failure.getClass().getName() + (trace.length == 0 ? "" : " at " + trace[0]);
        if (counts.size() >= DISTINCT_MAX) {
            counts.clear();
        }
        int count = counts.merge(name, 1, Integer::sum);
        if (count == 1) {
            log.error("unexpected exception; only the affected session or task ends", failure);
        } else if (Integer.bitCount(count) == 1) {
            log.error("unexpected exception, {} times so far: {}", count, name);
        }
    }
}
