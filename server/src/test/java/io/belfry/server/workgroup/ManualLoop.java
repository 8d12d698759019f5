package io.belfry.server.workgroup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A loop that is turned by hand: tasks wait in order until somebody runs them. Owner: the test's thread. */
final class ManualLoop implements Loop {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    /** A task and when it is due. */
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

    /** Runs the oldest waiting task. */
    void runOne() {
        in(tasks.remove());
    }

    /** Runs what is due by now. */
    void runDue() {
        List<Timed> due =
                timed.stream().filter(each -> each.atNanos <= clock.nanos()).toList();
        timed.removeAll(due);
        due.forEach(each -> in(each.task));
    }

    /** Runs what is due at every tick. */
    void tick() {
        clockwork.forEach(this::in);
    }

    /** Something happens on the loop, as when a socket is read. */
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
