package io.belfry.server.command;

import io.belfry.server.control.ControlAnswer;
import io.belfry.server.control.ControlClient;
import io.belfry.server.control.ControlRequest;
import io.belfry.server.control.RunFolder;
import io.belfry.server.control.RunFolder.State;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.OptionalLong;

/** One server of this machine as other processes see it: by what it left in the run folder. Immutable. */
record Instance(RunFolder folder) {
    /** A reload reads files and a drain counts sessions: an answer takes longer than a request. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration POLL = Duration.ofMillis(50);

    String name() {
        return folder.name();
    }

    boolean runs() throws IOException {
        return folder.state() instanceof State.Running;
    }

    OptionalLong pid() throws IOException {
        return folder.state() instanceof State.Running running ? running.pid() : OptionalLong.empty();
    }

    ControlAnswer ask(ControlRequest request) throws IOException {
        return new ControlClient(folder.socket(), PATIENCE).ask(request);
    }

    /** Asks and prints the answer; an exit code. */
    int tell(ControlRequest request, PrintWriter out, PrintWriter err) throws IOException {
        if (!runs()) {
            out.println(describe());
            return Exit.NOT_RUNNING;
        }
        ControlAnswer answer = ask(request);
        answer.lines().forEach((answer.ok() ? out : err)::println);
        return answer.ok() ? Exit.WELL : Exit.FAILED;
    }

    /** One sentence: whether it runs, and what is odd about it. */
    String describe() throws IOException {
        return switch (folder.state()) {
            case State.Running running ->
                name() + " runs"
                        + (running.pid().isPresent() ? ", pid " + running.pid().getAsLong() : "");
            case State.Stale stale ->
                name() + " does not run; it was killed or crashed, and left " + folder.pidFile() + " with pid "
                        + stale.pid() + (isAlive(stale.pid()) ? ", which is another program's now" : "");
            case State.Absent absent -> name() + " does not run";
        };
    }

    /** A dead one that its parent has not looked after still has a pid, but no command. */
    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().command())
                .isPresent();
    }

    /** Whether the condition came true in time. */
    static boolean await(Duration atMost, Condition condition) throws IOException, InterruptedException {
        long deadlineNanos = System.nanoTime() + atMost.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadlineNanos >= 0) {
                return false;
            }
            Thread.sleep(POLL);
        }
        return true;
    }

    /** Something that is looked up in files. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException;
    }
}
