package io.belfry.benchkit.run;

/** What the load generators end with. */
public final class ExitCode {
    public static final int WELL = 0;
    public static final int FAILED = 1;
    public static final int WRONG_USAGE = 2;

    private ExitCode() {}
}
