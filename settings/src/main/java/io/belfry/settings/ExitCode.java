package io.belfry.settings;

/** The exit codes of the tools: load generators, benchmarks and attacks. */
public final class ExitCode {
    /** The run completed and found no fault. */
    public static final int WELL = 0;

    /** The run failed or found a fault. */
    public static final int FAILED = 1;

    /** An argument or a setting is wrong. */
    public static final int WRONG_USAGE = 2;

    private ExitCode() {}
}
