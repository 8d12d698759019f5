package io.belfry.attack.run;

import io.belfry.attack.run.ClientFigures.NewClientFigures;
import io.belfry.attack.run.ServerSnapshot.Memory;
import io.belfry.benchkit.measure.Texts;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Checks the state of server and regular clients after an attack, by the same limits for all attacks. Pure.
 *
 * @param p99MaxMillis limit of the regular clients' p99
 */
record AttackAssessment(double p99MaxMillis) {
    /** Share by which memory may grow. */
    private static final double MEMORY_SHARE = 0.10;

    /** Growth below this is never a fault: a tenth of a small heap is less than the JVM's classes and caches take. */
    private static final long MEMORY_BYTES_MIN = 4 << 20;

    /** Tolerance for connections of the monitor and of new clients, and files of the JVM. */
    private static final int OPEN_FILES_TOLERANCE = 6;

    /** Log bytes per attack; more would let an attacker fill the disk. */
    private static final long LOG_BYTES_MAX = 1 << 20;

    /** Further rounds extend the limit of latency by at most this factor, for a machine that is busy with other programs. */
    private static final double EXTENSION_MAX = 5;

    private static final Pattern STACK_TRACE = Pattern.compile("(?m)^\\s+at [\\w.$/@]+\\(|^Caused by: ");
    private static final Pattern ERROR = Pattern.compile("(?m)^\\S+ ERROR .*$");

    /**
     * Returns the assessment of a further round. Its limit includes what other programs of the machine cause: the latency without an attack
     * is added, and the sum is divided by the share of the processors that they left.
     *
     * @param idleMillis p99 of the regular clients before the round, without an attack
     * @param othersShare share of the processors' time that other programs used during the round
     */
    AttackAssessment ofFurtherRound(double idleMillis, double othersShare) {
        return new AttackAssessment((p99MaxMillis + idleMillis) * Math.min(EXTENSION_MAX, 1 / (1 - othersShare)));
    }

    /**
     * Returns whether the attack runs once more, and the result of that round counts: if its only fault is latency, of new clients too, which other
     * programs of a shared machine may have caused, or memory outside the heap, which the allocators may keep for reuse. A leak grows again.
     */
    boolean isRepeated(AttackResult result) {
        return !result.faults().isEmpty()
                && result.figures()
                        .map(figures -> repeated(figures).contains(result.faults()))
                        .orElse(false);
    }

    /** Returns the faults that cause a further round, each list alone. */
    private List<List<String>> repeated(AttackResult.Figures figures) {
        String latency = latency(figures.clients());
        List<String> memory = new ArrayList<>();
        checkOutsideHeap(figures.before(), figures.after(), memory);
        return List.of(List.of(latency), List.of(latency, unserved(figures.clients())), memory);
    }

    private String latency(ClientFigures seen) {
        return Texts.format("p99 of regular clients was %.0f ms, over %.0f ms", seen.p99Millis(), p99MaxMillis);
    }

    private static String unserved(ClientFigures seen) {
        NewClientFigures clients = seen.newClients();
        int turnedAway = clients.turnedAway();
        return turnedAway + " of " + (turnedAway + clients.newcomers()) + " new clients were not served in time"
                + incident(seen);
    }

    private static String incident(ClientFigures seen) {
        return seen.incidents().stream().findFirst().map(each -> ": " + each).orElse("");
    }

    /** Returns what is wrong, one sentence each; empty: the server held. */
    List<String> faults(ClientFigures seen, ServerSnapshot before, ServerSnapshot after, String log) {
        List<String> faults = new ArrayList<>();
        checkClients(seen, faults);
        checkMemory(before.memory(), after.memory(), faults);
        checkServer(before, after, faults);
        addIf(STACK_TRACE.matcher(log).find(), "the log has a stack trace", faults);
        ERROR.matcher(log).results().findFirst().ifPresent(line -> faults.add("the log has an error: " + line.group()));
        long written = after.logBytes() - before.logBytes();
        addIf(written > LOG_BYTES_MAX, "the log grew by " + (written >> 10) + " KB", faults);
        return faults;
    }

    private void checkClients(ClientFigures seen, List<String> faults) {
        long disturbances = seen.disconnected() + seen.disturbed();
        addIf(seen.delivered() == 0, "regular clients received no message", faults);
        addIf(seen.lost() > 0, "regular clients lost messages: " + seen.lost(), faults);
        addIf(seen.unanswered() > 0, "publishes of regular clients not answered: " + seen.unanswered(), faults);
        addIf(disturbances > 0, "disturbances of regular clients: " + disturbances + incident(seen), faults);
        addIf(seen.p99Millis() >= p99MaxMillis, latency(seen), faults);
        addIf(seen.newClients().turnedAway() > 0, unserved(seen), faults);
    }

    private static void addIf(boolean isFault, String sentence, List<String> faults) {
        if (isFault) {
            faults.add(sentence);
        }
    }

    /** Returns whether the server has released the memory that it needed meanwhile. */
    static boolean isReleased(Memory before, Memory after) {
        List<String> faults = new ArrayList<>();
        checkMemory(before, after, faults);
        return faults.isEmpty();
    }

    private static void checkMemory(Memory before, Memory after, List<String> faults) {
        checkGrowth("heap after a full collection", before.heapBytes(), after.heapBytes(), faults);
        checkOutsideHeap(before, after, faults);
    }

    private static void checkOutsideHeap(Memory before, Memory after, List<String> faults) {
        checkGrowth("memory without history", before.apartFromHistory(), after.apartFromHistory(), faults);
    }

    private static void checkGrowth(String what, long before, long after, List<String> faults) {
        addIf(
                after - before > Math.max(before * MEMORY_SHARE, MEMORY_BYTES_MIN),
                Texts.format("%s grew from %.1f to %.1f MB", what, before / 0x1p20, after / 0x1p20),
                faults);
    }

    private static void checkServer(ServerSnapshot before, ServerSnapshot after, List<String> faults) {
        int more = after.openFiles() - before.openFiles();
        addIf(more > OPEN_FILES_TOLERANCE, more + " connections of the attack are still open", faults);
        TreeSet<String> ended = new TreeSet<>(before.loops());
        ended.removeAll(after.loops());
        addIf(!ended.isEmpty(), "event loops ended: " + String.join(", ", ended), faults);
        long failures = after.loopFailures() - before.loopFailures();
        addIf(failures > 0, "uncaught exceptions in event loops: " + failures, faults);
    }
}
