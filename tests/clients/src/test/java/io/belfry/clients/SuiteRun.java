package io.belfry.clients;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Runs all checks on all clients, many at a time. Owner: the test's thread. */
final class SuiteRun {
    /** Checks of one client that run at the same time. With more of them, checks of times fail on two processors. */
    private static final int AT_ONCE = 16;

    enum Outcome {
        PASSED,
        FAILED,
        NOT_APPLICABLE
    }

    /**
     * The outcome of one check of one client.
     *
     * @param detail the reason, if it did not pass
     */
    record Result(String client, Behaviour behaviour, Outcome outcome, String detail, long millis) {}

    private final RunSettings settings;
    private final List<Behaviour> behaviours;
    private final int wireShares;
    private final Collection<Result> results = new ConcurrentLinkedQueue<>();

    /** Each client runs one of {@code wireShares} shares of the checks over wires, and all over server-sent events. */
    SuiteRun(RunSettings settings, List<Behaviour> behaviours, int wireShares) {
        this.settings = settings;
        this.wireShares = wireShares;
        this.behaviours = behaviours.stream()
                .filter(each -> each.sentence().matches(settings.behaviour()))
                .toList();
    }

    /** Runs the checks on the installed clients; returns the results in the order of clients and behaviours. */
    List<Result> run(List<DriverCommand> drivers) {
        List<DriverCommand> chosen = drivers.stream()
                .filter(each -> each.client().matches(settings.client())
                        && each.missing().isEmpty())
                .toList();
        try (SuiteServers servers = new SuiteServers()) {
            joinAll(chosen.stream()
                    .map(driver ->
                            start(() -> run(driver, servers, behavioursOf(chosen.indexOf(driver), chosen.size()))))
                    .toList());
        }
        List<Result> ordered = new ArrayList<>();
        for (DriverCommand driver : chosen) {
            for (Behaviour behaviour : behaviours) {
                results.stream()
                        .filter(each -> each.client().equals(driver.client())
                                && each.behaviour().equals(behaviour))
                        .forEach(ordered::add);
            }
        }
        return ordered;
    }

    /** Starts a thread that may write to a driver. A write to a full pipe would block the carrier of a virtual thread. */
    private static Thread start(Runnable task) {
        return Thread.ofPlatform().daemon().start(task);
    }

    private static void joinAll(List<Thread> threads) {
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<Behaviour> behavioursOf(int client, int clients) {
        // With fewer clients than shares no client would run some of the checks. Only one client has server-sent
        // events.
        int shares = Math.min(wireShares, clients);
        return behaviours.stream()
                .filter(each -> !each.isOverWire()
                        || each.isOver(Wire.EVENTS)
                        || (behaviours.indexOf(each) + client) % shares == 0)
                .toList();
    }

    private void run(DriverCommand command, SuiteServers servers, List<Behaviour> mine) {
        Thread alone = start(() -> runAlone(command, servers, mine));
        try (DriverProcess driver = DriverProcess.start(command)) {
            Semaphore places = new Semaphore(AT_ONCE);
            List<Thread> threads = new ArrayList<>();
            // The long ones begin first, so that the run is not longer than them.
            for (Behaviour.Mode mode : List.of(Behaviour.Mode.LONG, Behaviour.Mode.SHARED)) {
                mine.stream().filter(each -> each.mode() == mode).forEach(behaviour -> {
                    places.acquireUninterruptibly();
                    threads.add(start(() -> {
                        check(behaviour, driver, servers);
                        places.release();
                    }));
                });
            }
            joinAll(threads);
            requireRegularEnd(driver);
        } catch (AssertionError | RuntimeException e) {
            mine.stream()
                    .findFirst()
                    .ifPresent(first -> results.add(
                            new Result(command.client(), first, Outcome.FAILED, "the driver: " + e.getMessage(), 0)));
        }
        joinAll(List.of(alone));
    }

    private static void requireRegularEnd(DriverProcess driver) {
        int code = driver.end();
        if (code != 0 || !driver.faults().isEmpty()) {
            throw new AssertionError(driver + " ended with " + code + ", faults: " + driver.faults());
        }
    }

    private void runAlone(DriverCommand command, SuiteServers servers, List<Behaviour> mine) {
        for (Behaviour behaviour : mine) {
            if (behaviour.mode() == Behaviour.Mode.ALONE) {
                try (DriverProcess driver = DriverProcess.start(command)) {
                    check(behaviour, driver, servers);
                } catch (AssertionError | RuntimeException e) {
                    results.add(new Result(command.client(), behaviour, Outcome.FAILED, text(e), 0));
                }
            }
        }
    }

    private void check(Behaviour behaviour, DriverProcess driver, SuiteServers servers) {
        Optional<String> lacks = behaviour.needs().stream()
                .filter(need -> !driver.capabilities().contains(need))
                .sorted()
                .findFirst();
        if (lacks.isPresent()) {
            results.add(result(behaviour, driver, Outcome.NOT_APPLICABLE, driver.whyNot(lacks.get()), 0));
            return;
        }
        long start = System.nanoTime();
        try (Scene scene =
                new Scene(driver, servers, settings, behaviour.sentence().hashCode())) {
            run(behaviour, scene);
            results.add(result(behaviour, driver, Outcome.PASSED, "", start));
        } catch (Exception | AssertionError e) {
            results.add(result(behaviour, driver, Outcome.FAILED, text(e), start));
        }
    }

    private static void run(Behaviour behaviour, Scene scene) throws Exception {
        try {
            behaviour.check().run(scene);
            scene.requireNoFault();
        } catch (Exception | AssertionError e) {
            e.addSuppressed(new AssertionError(scene.latestEvents()));
            throw e;
        }
    }

    private static String text(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static Result result(
            Behaviour behaviour, DriverProcess driver, Outcome outcome, String detail, long start) {
        long millis = start == 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        return new Result(driver.client(), behaviour, outcome, detail, millis);
    }
}
