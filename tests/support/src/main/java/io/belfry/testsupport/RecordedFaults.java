package io.belfry.testsupport;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The faults of this JVM that no test class has been failed for yet. Any thread may add one. */
final class RecordedFaults {
    private static final Queue<String> FAULTS = new ConcurrentLinkedQueue<>();

    private RecordedFaults() {}

    static void leak(String resource, String allocatedAt) {
        FAULTS.add("LEAK: " + resource + " was collected without release()." + withoutTestRunner(allocatedAt));
    }

    /** Cuts the stack trace where JUnit begins, which is most of its length. */
    private static String withoutTestRunner(String trace) {
        int runner = trace.indexOf("java.base/jdk.internal.reflect.");
        return runner < 0 ? trace : trace.substring(0, trace.lastIndexOf('\n', runner) + 1);
    }

    /** Records the uncaught exceptions of all threads that have no handler of their own. */
    static void recordUncaught() {
        Thread.setDefaultUncaughtExceptionHandler(RecordedFaults::uncaught);
    }

    private static void uncaught(Thread thread, Throwable exception) {
        exception("uncaught exception in thread " + thread.getName(), exception);
    }

    /** Records an exception that no caller can see, and prints it at once. */
    static void exception(String where, Throwable exception) {
        StringWriter trace = new StringWriter();
        exception.printStackTrace(new PrintWriter(trace, true));
        String fault = where + ": " + trace;
        System.err.println(fault);
        FAULTS.add(fault);
    }

    /** Records an error that the code under test logged. */
    static void logged(String error) {
        FAULTS.add("logged error: " + withoutTestRunner(error));
    }

    /** Forgets the faults that contain this text; returns how many these were. */
    static int forget(String part) {
        int before = FAULTS.size();
        FAULTS.removeIf(fault -> fault.contains(part));
        return before - FAULTS.size();
    }

    /** Throws an error with all recorded faults, and forgets them; returns if there are none. */
    static void failIfAny(String where) {
        List<String> found = new ArrayList<>();
        for (String fault = FAULTS.poll(); fault != null; fault = FAULTS.poll()) {
            found.add(fault);
        }
        if (!found.isEmpty()) {
            throw new AssertionError(
                    found.size() + " faults found at the end of " + where + ":\n" + String.join("\n", found));
        }
    }
}
