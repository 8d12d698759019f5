package io.belfry.server.command;

import io.belfry.server.control.ControlRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Stops a server with a request, and kills it if it has not stopped within the timeout. Immutable. */
record OrderlyStop(Instance instance, Duration timeout, PrintWriter out, PrintWriter err) {
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

    /** Stops the server and returns an exit code. */
    int perform() throws IOException, InterruptedException {
        if (!instance.runs()) {
            out.println(instance.describe());
            instance.folder().clear();
            return Exit.NOT_RUNNING;
        }
        OptionalLong pid = instance.pid();
        ask(pid);
        if (Instance.await(timeout, () -> !instance.runs())) {
            out.println(instance.name() + " stopped");
            return Exit.WELL;
        }
        return kill(pid);
    }

    private void ask(OptionalLong pid) throws IOException {
        try {
            instance.ask(new ControlRequest.Stop());
        } catch (IOException e) {
            // The server does not accept requests yet or is blocked; the signal still reaches it.
            process(pid).ifPresent(ProcessHandle::destroy);
        }
    }

    private int kill(OptionalLong pid) throws IOException, InterruptedException {
        err.println(instance.name() + " did not stop within " + timeout.toSeconds() + " s; killing its process");
        process(pid).ifPresent(ProcessHandle::destroyForcibly);
        if (Instance.await(KILL_TIMEOUT, () -> !instance.runs())) {
            instance.folder().clear();
            out.println(instance.name() + " stopped");
            return Exit.WELL;
        }
        err.println(instance.describe() + "; it could not be killed, try again as its user or as root");
        return Exit.FAILED;
    }

    private static Optional<ProcessHandle> process(OptionalLong pid) {
        return pid.isPresent() ? ProcessHandle.of(pid.getAsLong()) : Optional.empty();
    }
}
