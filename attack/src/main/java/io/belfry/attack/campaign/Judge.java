package io.belfry.attack.campaign;

import io.belfry.attack.server.Memory;
import io.belfry.attack.witness.Testimony;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Says of one attack what gave way, by the same measures for all. Pure.
 *
 * @param p99MaxMillis what the witness's p99 must stay under
 */
record Judge(double p99MaxMillis) {
    /** How far memory may be from what it was, both ways of noise included. */
    private static final double MEMORY_SHARE = 0.10;

    /** A tenth of a small heap is less than what classes, compiled code and caches of the JVM come to. */
    private static final long MEMORY_BYTES_MIN = 4 << 20;

    /** The monitor's connection, the newcomer's and the JVM's own files come and go. */
    private static final int OPEN_FILES_MORE = 6;

    /** More in a single attack is a flood of its own: disks are finite. */
    private static final long LOG_BYTES_MAX = 1 << 20;

    private static final Pattern STACK_TRACE = Pattern.compile("(?m)^\\s+at [\\w.$/@]+\\(|^Caused by: ");
    private static final Pattern ERROR = Pattern.compile("(?m)^\\S+ ERROR .*$");

    /** Whether it is the time things took alone that speaks against the server: on a shared machine others may be why. */
    boolean isLatenessAlone(List<String> faults, Testimony seen) {
        return faults.size() == 1
                && seen.p99Millis() >= p99MaxMillis
                && faults.getFirst().equals(lateness(seen));
    }

    private String lateness(Testimony seen) {
        return String.format(
                Locale.ROOT, "the witness's p99 was %.0f ms, over %.0f ms", seen.p99Millis(), p99MaxMillis);
    }

    /** What is judged: what the witness says, and the server before and after. */
    record Evidence(Testimony testimony, Look before, Look after, String log) {}

    /** What gave way, one sentence each; empty: it held. */
    List<String> judge(Evidence evidence) {
        List<String> faults = new ArrayList<>();
        witness(evidence.testimony(), faults);
        memory(evidence.before().memory(), evidence.after().memory(), faults);
        server(evidence.before(), evidence.after(), faults);
        log(evidence, faults);
        return faults;
    }

    private void witness(Testimony seen, List<String> faults) {
        if (seen.delivered() == 0) {
            faults.add("the witness got no message");
        }
        if (seen.lost() > 0) {
            faults.add("the witness lost " + seen.lost() + " messages");
        }
        if (seen.unanswered() > 0) {
            faults.add("the witness got no answer to " + seen.unanswered() + " publishes");
        }
        if (seen.disconnected() + seen.disturbed() > 0) {
            faults.add("the witness was disturbed " + (seen.disconnected() + seen.disturbed()) + " times"
                    + seen.surprises().stream()
                            .findFirst()
                            .map(word -> ": " + word)
                            .orElse(""));
        }
        if (seen.p99Millis() >= p99MaxMillis) {
            faults.add(lateness(seen));
        }
        if (seen.turnedAway() > 0) {
            faults.add(seen.turnedAway() + " of " + (seen.turnedAway() + seen.newcomers())
                    + " newcomers were not served in time"
                    + seen.surprises().stream()
                            .findFirst()
                            .map(word -> ": " + word)
                            .orElse(""));
        }
    }

    private static void memory(Memory before, Memory after, List<String> faults) {
        grown("heap after a full collection", before.heapBytes(), after.heapBytes(), faults);
        grown("memory apart from history", before.apartFromHistory(), after.apartFromHistory(), faults);
    }

    private static void grown(String what, long before, long after, List<String> faults) {
        if (after - before > Math.max(before * MEMORY_SHARE, MEMORY_BYTES_MIN)) {
            faults.add(String.format(
                    Locale.ROOT, "%s grew from %.1f to %.1f MB", what, before / 1048576.0, after / 1048576.0));
        }
    }

    private static void server(Look before, Look after, List<String> faults) {
        if (after.openFiles() > before.openFiles() + OPEN_FILES_MORE) {
            faults.add((after.openFiles() - before.openFiles()) + " connections of the attack are still open");
        }
        TreeSet<String> ended = new TreeSet<>(before.loops());
        ended.removeAll(after.loops());
        if (!ended.isEmpty()) {
            faults.add("event loops ended: " + String.join(", ", ended));
        }
        if (after.loopFailures() > before.loopFailures()) {
            faults.add((after.loopFailures() - before.loopFailures()) + " exceptions came to the end of a loop's turn");
        }
    }

    private static void log(Evidence evidence, List<String> faults) {
        if (STACK_TRACE.matcher(evidence.log()).find()) {
            faults.add("there is a stack trace in the log");
        }
        ERROR.matcher(evidence.log())
                .results()
                .findFirst()
                .ifPresent(line -> faults.add("the log has an error: " + line.group()));
        long written = evidence.after().logBytes() - evidence.before().logBytes();
        if (written > LOG_BYTES_MAX) {
            faults.add("the log grew by " + (written >> 10) + " KB");
        }
    }
}
