package io.belfry.bench;

import io.belfry.benchkit.run.StopSignal;
import java.nio.file.Path;

/** {@code bin/bench SCENARIO [OPTION]...}; the property {@code belfry.home} is the folder above bin. */
public final class Bench {
    private Bench() {}

    public static void main(String... arguments) {
        StopSignal stop = StopSignal.ofProcess();
        Path home = Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
        int code = CommandLines.of(new BenchCommand(home, stop)).execute(arguments);
        stop.fulfilled(code);
        System.exit(code);
    }
}
