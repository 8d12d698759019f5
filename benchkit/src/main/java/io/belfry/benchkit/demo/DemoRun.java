package io.belfry.benchkit.demo;

import io.belfry.benchkit.load.Assignment;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.load.PublisherFleet;
import io.belfry.benchkit.load.PublisherOptions;
import io.belfry.benchkit.load.SubjectList;
import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.load.SubscriberOptions;
import io.belfry.benchkit.load.Target;
import io.belfry.benchkit.load.Target.Manner;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import io.belfry.benchkit.run.StopSignal;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.SourceAddresses;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Subscribers and a publisher against one server, and the account: what was acknowledged times who subscribed must be
 * exactly what arrived. Owner: the main thread.
 */
final class DemoRun {
    static final int SUBJECTS = 100;
    private static final int MESSAGES_PER_SECOND = 500;
    private static final int MESSAGE_BYTES = 512;

    /** The account at the end knows how many messages there were. */
    private static final int NO_END_MARKS = 0;

    private static final double CONNECT_RATE = 2000;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration GLANCE = Duration.ofMillis(20);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(5);

    private final PrintStream out;
    private final StopSignal stop;
    private final ReportLines lines = new ReportLines();
    private final SubscriberFleet subscribers;
    private final PublisherFleet publisher;
    private final Figures received = new Figures();
    private final Figures published = new Figures();
    private long lastLookNanos;

    DemoRun(PrintStream out, StopSignal stop, SubscriberFleet subscribers, PublisherFleet publisher) {
        this.out = out;
        this.stop = stop;
        this.subscribers = subscribers;
        this.publisher = publisher;
    }

    static DemoRun against(
            InetSocketAddress server, int clients, ClientLoop in, ClientLoop out, PrintStream print, StopSignal stop) {
        SubjectList subjects = SubjectList.of(
                "",
                IntStream.rangeClosed(1, SUBJECTS).mapToObj(i -> "/demo/s" + i).toList());
        List<InetSocketAddress> servers = List.of(server);
        Target target =
                Target.of(servers, Manner.plain(true, null), SourceAddresses.towards(servers, clients), CONNECT_RATE);
        Assignment assignment = new Assignment(SUBJECTS, 1, false, 1);
        return new DemoRun(
                print,
                stop,
                new SubscriberFleet(SubscriberOptions.reading(clients, subjects, assignment, target), List.of(in)),
                new PublisherFleet(
                        new PublisherOptions(
                                1, subjects, MESSAGES_PER_SECOND, 1, MESSAGE_BYTES, true, 1, NO_END_MARKS, target),
                        List.of(out)));
    }

    /** True if every acknowledged message came to every subscriber of its subject, once and in order. */
    boolean run(int seconds) {
        connect(subscribers);
        connect(publisher);
        out.println(lines.number(subscribers.clients()) + " subscribers on " + SUBJECTS + " subjects, one publisher of "
                + MESSAGES_PER_SECOND + " messages/s of " + MESSAGE_BYTES + " bytes; Ctrl-C ends it");
        publisher.publish();
        lastLookNanos = System.nanoTime();
        for (int second = 0; (seconds == 0 || second < seconds) && !stop.await(SECOND) && !broken(); second++) {
            printSecond();
        }
        publisher.settle();
        boolean answered = waitFor(() -> broken() || publisher.state().awaited() == 0) && !broken();
        long[] acknowledged = publisher.acknowledgedOfSubject();
        waitFor(() -> subscribers.missing(acknowledged) == 0);
        takeFigures(new Figures(), new Figures());
        return account(acknowledged, answered);
    }

    private boolean broken() {
        return publisher.failure().isDone() || subscribers.failure().isDone();
    }

    private void connect(Fleet fleet) {
        fleet.begin();
        while (!fleet.ready().isDone()) {
            if (fleet.failure().isDone()) {
                throw new BenchFailure(fleet.failure().join());
            }
            if (stop.await(GLANCE)) {
                throw new BenchFailure("stopped before all clients were connected");
            }
        }
    }

    /** A second is as long as it took: rates are of the time between two looks. */
    private void printSecond() {
        Figures in = new Figures();
        Figures sent = new Figures();
        takeFigures(in, sent);
        long now = System.nanoTime();
        double seconds = (now - lastLookNanos) / 1e9;
        lastLookNanos = now;
        Latencies latencies = in.latencies();
        out.println("connected " + lines.number(subscribers.state().standing()) + "  in "
                + perSecond(sent, Count.PUBLISHED, seconds) + " msg/s  out " + perSecond(in, Count.MESSAGES, seconds)
                + " msg/s  latency p50 " + lines.millis(latencies.percentileMillis(50)) + "  p99 "
                + lines.millis(latencies.percentileMillis(99)) + "  max " + lines.millis(latencies.maxMillis()));
    }

    private String perSecond(Figures figures, Count count, double seconds) {
        return lines.number(Math.round(figures.counts().of(count) / seconds));
    }

    private void takeFigures(Figures in, Figures sent) {
        subscribers.takeFigures(in);
        publisher.takeFigures(sent);
        received.add(in);
        published.add(sent);
    }

    private interface Condition {
        boolean holds();
    }

    /** Also after Ctrl-C: the account is worth the wait. */
    private static boolean waitFor(Condition condition) {
        long end = System.nanoTime() + SETTLE_MAX.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                return false;
            }
            try {
                Thread.sleep(GLANCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    private boolean account(long[] acknowledged, boolean answered) {
        long expected = subscribers.expected(acknowledged);
        long missing = subscribers.missing(acknowledged);
        Counts counts = received.counts();
        Latencies latencies = received.latencies();
        List<String> table = new ArrayList<>();
        table.add("");
        row(table, "published", published.counts().of(Count.PUBLISHED));
        row(table, "acknowledged", published.counts().of(Count.ACKNOWLEDGED));
        row(table, "expected", expected);
        row(table, "delivered", counts.of(Count.MESSAGES));
        row(table, "lost", missing);
        row(table, "duplicated", counts.of(Count.DUPLICATED));
        row(table, "reordered", counts.of(Count.REORDERED));
        row(table, "disconnected", counts.of(Count.DISCONNECTIONS));
        for (double percentile : new double[] {50, 99, 99.9}) {
            row(
                    table,
                    "p" + (percentile == 99.9 ? "99.9" : (int) percentile),
                    lines.millis(latencies.percentileMillis(percentile)));
        }
        row(table, "max", lines.millis(latencies.maxMillis()));
        table.forEach(out::println);
        for (Fleet fleet : List.of(subscribers, publisher)) {
            fleet.surprises().take().forEach(out::println);
            if (fleet.failure().isDone()) {
                out.println(fleet.failure().join());
            }
        }
        if (!answered) {
            out.println("not all publishes were answered");
        }
        boolean well = answered
                && missing + counts.of(Count.DUPLICATED) + counts.of(Count.REORDERED) + counts.of(Count.DISCONNECTIONS)
                        == 0;
        out.println(well ? "nothing was lost" : "FAILED");
        return well;
    }

    private void row(List<String> table, String name, long value) {
        row(table, name, lines.number(value));
    }

    private static void row(List<String> table, String name, String value) {
        table.add(String.format(Locale.ROOT, "  %-14s%16s", name, value));
    }

    void close() {
        publisher.close();
        subscribers.close();
    }
}
