package io.belfry.server.command;

import io.belfry.server.control.ControlRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Stops a server, by force only when asking was in vain. Immutable. */
record OrderlyStop(Instance instance, Duration patience, PrintWriter out, PrintWriter err) {
    private static final Duration PATIENCE_AFTER_KILL = Duration.ofSeconds(10);

    /** An exit code. */
    int perform() throws IOException, InterruptedException {
        if (!instance.runs()) {
            out.println(instance.describe());
            instance.folder().clear();
            return Exit.NOT_RUNNING;
        }
        OptionalLong pid = instance.pid();
        ask(pid);
        if (Instance.await(patience, () -> !instance.runs())) {
            out.println(instance.name() + " stopped");
            return Exit.WELL;
        }
        return kill(pid);
    }

    private void ask(OptionalLong pid) throws IOException {
        try {
            instance.ask(new ControlRequest.Stop());
        } catch (IOException e) {
            // Not listening yet, or stuck: the signal reaches it all the same.
            process(pid).ifPresent(ProcessHandle::destroy);
        }
    }

    private int kill(OptionalLong pid) throws IOException, InterruptedException {
        err.println(instance.name() + " did not stop within " + patience.toSeconds() + " s; killing it");
        process(pid).ifPresent(ProcessHandle::destroyForcibly);
        if (Instance.await(PATIENCE_AFTER_KILL, () -> !instance.runs())) {
            instance.folder().clear();
            out.println(instance.name() + " stopped");
            return Exit.WELL;
        }
        err.println(instance.describe() + " and cannot be killed by this user");
        return Exit.FAILED;
    }

    private static Optional<ProcessHandle> process(OptionalLong pid) {
        return pid.isPresent() ? ProcessHandle.of(pid.getAsLong()) : Optional.empty();
    }
}
