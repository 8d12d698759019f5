package io.belfry.server.command;

/** Exit codes of the commands. */
final class Exit {
    static final int WELL = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int NOT_RUNNING = 3;

    private Exit() {}
}
