package io.belfry.benchpub;

import io.belfry.benchkit.measure.ReportLog;
import io.belfry.benchkit.run.BenchProgram;
import io.belfry.benchkit.run.StopSignal;

/** {@code bin/benchpub [-c FILE] [--set KEY=VALUE]...}. */
public final class Benchpub {
    private Benchpub() {}

    public static void main(String... arguments) {
        StopSignal stop = StopSignal.ofProcess();
        int code = BenchProgram.benchpub(ReportLog.standard(), stop, System.getenv(), arguments);
        stop.fulfilled(code);
        System.exit(code);
    }
}
