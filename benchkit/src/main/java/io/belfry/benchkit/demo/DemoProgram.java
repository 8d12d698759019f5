package io.belfry.benchkit.demo;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.measure.SharedClock;
import io.belfry.benchkit.process.ServerChild;
import io.belfry.benchkit.run.StopSignal;
import io.belfry.client.connection.ClientLoop;
import io.belfry.settings.ExitCode;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the demo from its arguments to its exit code. Owner: the main thread. */
public final class DemoProgram {
    private static final int READ_BUFFER_BYTES = 64 << 10;

    private DemoProgram() {}

    /** Main program of {@code bin/belfry demo}; the property {@code belfry.home} is the folder that contains bin. */
    public static void main(String... arguments) {
        Path home = Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
        StopSignal.exitAfter(stop -> run(home, System.out, stop, arguments));
    }

    /** Starts a server, runs the demo and returns the exit code; {@code home} contains {@code bin/belfry}. */
    private static int run(Path home, PrintStream out, StopSignal stop, String... arguments) {
        DemoOptions options;
        try {
            options = DemoOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            out.println(e.getMessage());
            return ExitCode.WRONG_USAGE;
        }
        if (options.help()) {
            out.println(DemoOptions.USAGE);
            return ExitCode.WELL;
        }
        List<String> sets = new ArrayList<>(List.of("--set", "Listen=127.0.0.1:0"));
        ServerChild.OPEN_SETTINGS.forEach(setting -> sets.addAll(List.of("--set", setting)));
        try (ServerChild server = ServerChild.start(ServerChild.command(home, "demo", sets))) {
            return run(server, options, out, stop);
        } catch (BenchFailure e) {
            out.println("demo: " + e.getMessage());
            return ExitCode.FAILED;
        }
    }

    private static int run(ServerChild server, DemoOptions options, PrintStream out, StopSignal stop) {
        URI uri = URI.create("ws://" + server.address() + "/");
        InetSocketAddress address = new InetSocketAddress(uri.getHost(), uri.getPort());
        out.println("server: " + uri + ", figures: " + server.monitor() + "/stats");
        SharedClock clock = SharedClock.start();
        try (ClientLoop subscribing = new ClientLoop("demo-sub", READ_BUFFER_BYTES, clock);
                ClientLoop publishing = new ClientLoop("demo-pub", READ_BUFFER_BYTES, clock)) {
            DemoRun run = new DemoRun(address, options.clients(), subscribing, publishing, out, stop);
            boolean well = run.run(options.seconds());
            run.close();
            return well ? ExitCode.WELL : ExitCode.FAILED;
        }
    }
}
