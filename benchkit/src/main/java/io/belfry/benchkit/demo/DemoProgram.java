package io.belfry.benchkit.demo;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.measure.SharedClock;
import io.belfry.benchkit.process.ServerChild;
import io.belfry.benchkit.run.ExitCode;
import io.belfry.benchkit.run.StopSignal;
import io.belfry.client.connection.ClientLoop;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** The demo from arguments to exit code. Owner: the main thread. */
public final class DemoProgram {
    private static final int READ_BUFFER_BYTES = 64 << 10;

    private DemoProgram() {}

    /** {@code home} holds {@code bin/belfry}. */
    public static int run(Path home, PrintStream out, StopSignal stop, String... arguments) {
        DemoOptions options;
        try {
            options = DemoOptions.parse(home, arguments);
        } catch (IllegalArgumentException e) {
            out.println(e.getMessage());
            return ExitCode.WRONG_USAGE;
        }
        if (options.help()) {
            out.println(DemoOptions.USAGE);
            return ExitCode.WELL;
        }
        try (ServerChild server = ServerChild.start(options.serverCommand())) {
            return run(server, options, out, stop);
        } catch (BenchFailure e) {
            out.println("demo: " + e.getMessage());
            return ExitCode.FAILED;
        }
    }

    private static int run(ServerChild server, DemoOptions options, PrintStream out, StopSignal stop) {
        InetSocketAddress address = address(server.address());
        out.println("server on ws://" + server.address() + "/, its figures on " + server.monitor() + "/stats");
        SharedClock clock = SharedClock.start();
        try (ClientLoop subscribing = new ClientLoop("demo-sub", READ_BUFFER_BYTES, clock);
                ClientLoop publishing = new ClientLoop("demo-pub", READ_BUFFER_BYTES, clock)) {
            DemoRun run = DemoRun.against(address, options.clients(), subscribing, publishing, out, stop);
            boolean well = run.run(options.seconds());
            run.close();
            return well ? ExitCode.WELL : ExitCode.FAILED;
        }
    }

    private static InetSocketAddress address(String hostPort) {
        int colon = hostPort.lastIndexOf(':');
        return new InetSocketAddress(hostPort.substring(0, colon), Integer.parseInt(hostPort.substring(colon + 1)));
    }
}
