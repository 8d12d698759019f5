package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A server that only records the calls it receives. Called from any thread. */
final class FakeServer implements RunningServer {
    private final List<String> calls = new ArrayList<>();
    private final CountDownLatch down = new CountDownLatch(1);

    synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    private synchronized void note(String call) {
        calls.add(call);
    }

    @Override
    public String status() {
        return "state ready";
    }

    @Override
    public void reconfigure(ServerConfig next) {
        note("reconfigure LogLevel=" + next.process().log().level() + " Memory="
                + next.process().memoryBytes());
    }

    @Override
    public void drain(Duration over) {
        note("drain " + over);
    }

    @Override
    public void stop() {
        note("stop");
        down.countDown();
    }

    @Override
    public void awaitStopped() throws InterruptedException {
        down.await();
    }
}
