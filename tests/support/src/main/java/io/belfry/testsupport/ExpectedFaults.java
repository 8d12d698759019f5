package io.belfry.testsupport;

/** For tests that provoke a fault. No state. */
public final class ExpectedFaults {
    private ExpectedFaults() {}

    /** Forgets the faults recorded so far that contain this text; fails if there are none. */
    public static void remove(String part) {
        if (RecordedFaults.forget(part) == 0) {
            throw new AssertionError("no fault was recorded that contains: " + part);
        }
    }
}
