package io.belfry.server.workgroup;

import io.belfry.server.turn.Loop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** An event loop whose tasks wait in order until the test runs them. Owner: the test's thread. */
final class ManualLoop implements Loop {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    /** A task and the time at which it is due. */
    private record Timed(long atNanos, Runnable task) {}

    private final ManualClock clock;
    private final List<Timed> timed = new ArrayList<>();
    private final List<Runnable> clockwork = new ArrayList<>();
    private boolean running;

    ManualLoop(ManualClock clock) {
        this.clock = clock;
    }

    @Override
    public boolean inLoop() {
        return running;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void nextTurn(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void after(long nanos, Runnable task) {
        timed.add(new Timed(clock.nanos() + nanos, task));
    }

    @Override
    public void every(long millis, Runnable task) {
        clockwork.add(task);
    }

    boolean isIdle() {
        return tasks.isEmpty();
    }

    /** Returns the number of waiting tasks. */
    int waiting() {
        return tasks.size();
    }

    /** Runs the oldest waiting task. */
    void runOne() {
        in(tasks.remove());
    }

    /** Runs the tasks that are due now. */
    void runDue() {
        List<Timed> due =
                timed.stream().filter(each -> each.atNanos <= clock.nanos()).toList();
        timed.removeAll(due);
        due.forEach(each -> in(each.task));
    }

    /** Runs the tasks that are due at every tick. */
    void tick() {
        clockwork.forEach(this::in);
    }

    /** Runs a task on the loop at once, as when a socket becomes readable. */
    void in(Runnable task) {
        if (running) {
            task.run();
            return;
        }
        running = true;
        try {
            task.run();
        } finally {
            running = false;
        }
    }
}
