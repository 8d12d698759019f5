package io.belfry.benchsub;

import io.belfry.benchkit.measure.ReportLog;
import io.belfry.benchkit.run.BenchProgram;
import io.belfry.benchkit.run.StopSignal;

/** {@code bin/benchsub [-c FILE] [--set KEY=VALUE]...}. */
public final class Benchsub {
    private Benchsub() {}

    public static void main(String... arguments) {
        StopSignal stop = StopSignal.ofProcess();
        int code = BenchProgram.benchsub(ReportLog.standard(), stop, System.getenv(), arguments);
        stop.fulfilled(code);
        System.exit(code);
    }
}
