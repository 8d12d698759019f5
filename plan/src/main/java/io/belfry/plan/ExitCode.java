package io.belfry.plan;

/** What the program ends with. */
final class ExitCode {
    static final int WELL = 0;
    static final int DOES_NOT_HOLD = 1;
    static final int WRONG_USAGE = 2;

    private ExitCode() {}
}
