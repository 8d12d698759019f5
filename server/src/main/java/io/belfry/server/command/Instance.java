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

/** One server on this machine as other processes see it, through its files in the run folder. Immutable. */
record Instance(RunFolder folder) {
    /** Timeout of a request. A reload reads files and a drain counts sessions, so an answer may take seconds. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration POLL = Duration.ofMillis(10);

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
        return new ControlClient(folder.socket(), REQUEST_TIMEOUT).ask(request);
    }

    /** Returns whether the server answers, and therefore is ready. */
    boolean answers() {
        try {
            return ask(new ControlRequest.Status()).ok();
        } catch (IOException e) {
            return false; // still starting
        }
    }

    /** Sends a request and prints the answer; returns an exit code. */
    int askAndPrint(ControlRequest request, PrintWriter out, PrintWriter err) throws IOException {
        if (!runs()) {
            out.println(describe());
            return Exit.NOT_RUNNING;
        }
        ControlAnswer answer = ask(request);
        answer.lines().forEach((answer.ok() ? out : err)::println);
        return answer.ok() ? Exit.WELL : Exit.FAILED;
    }

    /** Returns one sentence: whether the server is running, and whether a previous process crashed. */
    String describe() throws IOException {
        return switch (folder.state()) {
            case State.Running running ->
                name() + " is running"
                        + (running.pid().isPresent() ? ", pid " + running.pid().getAsLong() : "");
            case State.Stale stale ->
                name() + " is not running; it was killed or crashed, and left " + folder.pidFile() + " with pid "
                        + stale.pid() + (isAlive(stale.pid()) ? ", which now belongs to another program" : "");
            case State.Absent absent -> name() + " is not running";
        };
    }

    /** Returns whether a process has this pid. A zombie process still has a pid, but no command. */
    static boolean isAlive(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().command())
                .isPresent();
    }

    /** Polls the condition; returns whether it became true within {@code atMost}. */
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

    /** A condition that is evaluated by reading files. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException;
    }
}
