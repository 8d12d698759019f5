package io.belfry.benchkit;

import io.belfry.benchkit.demo.DemoProgram;
import io.belfry.benchkit.run.StopSignal;
import java.nio.file.Path;

/** {@code bin/belfry demo [--seconds N] [--clients N]}; the property {@code belfry.home} is the folder above bin. */
public final class Demo {
    private Demo() {}

    public static void main(String... arguments) {
        StopSignal stop = StopSignal.ofProcess();
        Path home = Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
        int code = DemoProgram.run(home, System.out, stop, arguments);
        stop.fulfilled(code);
        System.exit(code);
    }
}
