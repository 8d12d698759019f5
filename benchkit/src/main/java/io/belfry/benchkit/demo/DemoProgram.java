package io.belfry.benchkit.demo;

import io.belfry.benchkit.load.Assignment;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.load.LoadTarget;
import io.belfry.benchkit.load.LoadTarget.ConnectOptions;
import io.belfry.benchkit.load.PublisherFleet;
import io.belfry.benchkit.load.PublisherOptions;
import io.belfry.benchkit.load.SubjectList;
import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.load.SubscriberOptions;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import io.belfry.benchkit.measure.Require;
import io.belfry.benchkit.measure.SharedClock;
import io.belfry.benchkit.measure.Texts;
import io.belfry.benchkit.process.ServerChild;
import io.belfry.benchkit.run.StopSignal;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.settings.ExitCode;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Runs the demo from its arguments to its exit code: subscribers and a publisher use one server, and each acknowledged
 * message must arrive at every subscriber of its subject. Owner: the main thread.
 */
public final class DemoProgram implements AutoCloseable {
    private static final int READ_BUFFER_BYTES = 64 << 10;
    static final int SUBJECTS = 100;
    private static final int MESSAGES_PER_SECOND = 500;
    private static final int MESSAGE_BYTES = 512;

    /** The totals at the end detect a loss without end marks. */
    private static final int NO_END_MARKS = 0;

    private static final double CONNECT_RATE = 2000;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(5);

    private final PrintStream out;
    private final StopSignal stop;
    private final SharedClock clock = SharedClock.start();
    private final ClientLoop subscribing = new ClientLoop("demo-sub", READ_BUFFER_BYTES, clock.nanos());
    private final ClientLoop publishing = new ClientLoop("demo-pub", READ_BUFFER_BYTES, clock.nanos());
    private final SubscriberFleet subscribers;
    private final PublisherFleet publisher;
    private final Figures received = new Figures();
    private final Figures published = new Figures();
    private long lastPrintNanos;

    /** Main program of {@code bin/belfry demo}; the property {@code belfry.home} is the folder that contains bin. */
    public static void main(String... arguments) {
        Path home = Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
        StopSignal.exitAfter(stop -> run(home, System.out, stop, arguments));
    }

    /** Starts a server, runs the demo and returns the exit code; {@code home} contains {@code bin/belfry}. */
    private static int run(Path home, PrintStream out, StopSignal stop, String... arguments) {
        DemoOptions options;
        try {
            options = DemoOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            out.println(e.getMessage());
            return ExitCode.WRONG_USAGE;
        }
        if (options.help) {
            out.println(DemoOptions.USAGE);
            return ExitCode.WELL;
        }
        DemoPage page = DemoPage.of(home);
        List<String> settings = new ArrayList<>(List.of("Listen=127.0.0.1:0"));
        settings.addAll(ServerChild.OPEN_SETTINGS);
        settings.addAll(page.settings());
        List<String> sets = settings.stream()
                .flatMap(setting -> Stream.of("--set", setting))
                .toList();
        try (ServerChild server = ServerChild.start(ServerChild.command(home, "demo", sets))) {
            return run(server, page, options, out, stop);
        } catch (BenchFailure e) {
            out.println("demo: " + e.getMessage());
            return ExitCode.FAILED;
        }
    }

    private static int run(ServerChild server, DemoPage page, DemoOptions options, PrintStream out, StopSignal stop) {
        URI uri = URI.create("ws://" + server.address() + "/");
        InetSocketAddress address = new InetSocketAddress(uri.getHost(), uri.getPort());
        out.println("server: " + uri);
        out.println(page.figuresLine(server.monitor()));
        out.println(page.line(server.address()));
        try (DemoPage.Prices _ = new DemoPage.Prices(server.address());
                DemoProgram demo = new DemoProgram(address, options.clients, out, stop)) {
            return demo.run(options.seconds) ? ExitCode.WELL : ExitCode.FAILED;
        }
    }

    DemoProgram(InetSocketAddress server, int clients, PrintStream out, StopSignal stop) {
        this.out = out;
        this.stop = stop;
        SubjectList subjects = SubjectList.of(
                "",
                IntStream.rangeClosed(1, SUBJECTS).mapToObj(i -> "/demo/s" + i).toList());
        List<InetSocketAddress> servers = List.of(server);
        LoadTarget target = LoadTarget.of(
                servers, ConnectOptions.plain(true, null), SourceAddresses.towards(servers, clients), CONNECT_RATE);
        Assignment assignment = new Assignment(SUBJECTS, 1, false, 1);
        subscribers = new SubscriberFleet(
                SubscriberOptions.reading(clients, subjects, assignment, target), List.of(subscribing));
        publisher = new PublisherFleet(
                new PublisherOptions(1, subjects, MESSAGES_PER_SECOND, 1, MESSAGE_BYTES, true, 1, NO_END_MARKS, target),
                List.of(publishing));
    }

    /** Returns whether every acknowledged message arrived at every subscriber of its subject, once and in order. */
    boolean run(int seconds) {
        subscribers.connect(() -> stop.await(StopSignal.POLL));
        publisher.connect(() -> stop.await(StopSignal.POLL));
        out.println(Texts.format(
                "%,d subscribers on %d subjects, one publisher of %d messages/s of %d bytes; Ctrl-C ends it",
                subscribers.clients(), SUBJECTS, MESSAGES_PER_SECOND, MESSAGE_BYTES));
        publisher.publish();
        lastPrintNanos = System.nanoTime();
        for (int second = 0; (seconds == 0 || second < seconds) && !stop.await(SECOND) && !broken(); second++) {
            printSecond();
        }
        publisher.settle();
        // Also waits after Ctrl-C, so that the totals are complete.
        boolean answered =
                StopSignal.waitFor(() -> broken() || publisher.state().awaited() == 0, SETTLE_MAX) && !broken();
        long[] acknowledged = publisher.acknowledgedOfSubject();
        StopSignal.waitFor(() -> subscribers.missing(acknowledged) == 0, SETTLE_MAX);
        takeFigures(new Figures(), new Figures());
        return totals(acknowledged, answered);
    }

    private boolean broken() {
        return publisher.failure().isDone() || subscribers.failure().isDone();
    }

    /** Prints the figures since the previous call; rates use the measured time, which may differ from a second. */
    private void printSecond() {
        Figures in = new Figures();
        Figures sent = new Figures();
        takeFigures(in, sent);
        long now = System.nanoTime();
        double seconds = (now - lastPrintNanos) / 1e9;
        lastPrintNanos = now;
        Latencies latencies = in.latencies();
        out.println("connected " + ReportLines.number(subscribers.state().standing()) + "  in "
                + perSecond(sent, Count.PUBLISHED, seconds) + " msg/s  out " + perSecond(in, Count.MESSAGES, seconds)
                + " msg/s  latency p50 " + ReportLines.millis(latencies.percentileMillis(50)) + "  p99 "
                + ReportLines.millis(latencies.percentileMillis(99)) + "  max "
                + ReportLines.millis(latencies.maxMillis()));
    }

    private String perSecond(Figures figures, Count count, double seconds) {
        return ReportLines.number(Math.round(figures.counts().of(count) / seconds));
    }

    private void takeFigures(Figures in, Figures sent) {
        subscribers.takeFigures(in);
        publisher.takeFigures(sent);
        received.add(in);
        published.add(sent);
    }

    private boolean totals(long[] acknowledged, boolean answered) {
        long expected = subscribers.expected(acknowledged);
        long missing = subscribers.missing(acknowledged);
        Counts counts = received.counts();
        Latencies latencies = received.latencies();
        out.println();
        row("published", published.counts().of(Count.PUBLISHED));
        row("acknowledged", published.counts().of(Count.ACKNOWLEDGED));
        row("expected", expected);
        row("delivered", counts.of(Count.MESSAGES));
        row("lost", missing);
        row("duplicated", counts.of(Count.DUPLICATED));
        row("reordered", counts.of(Count.REORDERED));
        row("disconnected", counts.of(Count.DISCONNECTIONS));
        for (double percentile : new double[] {50, 99, 99.9}) {
            String name = "p" + ReportLines.percentileName(percentile);
            row(name, ReportLines.millis(latencies.percentileMillis(percentile)));
        }
        row("max", ReportLines.millis(latencies.maxMillis()));
        for (Fleet<?> fleet : List.of(subscribers, publisher)) {
            fleet.incidents().take().forEach(out::println);
            if (fleet.failure().isDone()) {
                out.println(fleet.failure().join());
            }
        }
        if (!answered) {
            out.println("not every publish was acknowledged");
        }
        long faults =
                missing + counts.of(Count.DUPLICATED) + counts.of(Count.REORDERED) + counts.of(Count.DISCONNECTIONS);
        boolean well = answered && faults == 0;
        out.println(well ? "nothing was lost" : "FAILED");
        return well;
    }

    private void row(String name, long value) {
        row(name, ReportLines.number(value));
    }

    private void row(String name, String value) {
        out.println(Texts.format("  %-14s%16s", name, value));
    }

    @Override
    public void close() {
        publisher.close();
        subscribers.close();
        publishing.close();
        subscribing.close();
    }

    /** The arguments of the demo. Filled by picocli. */
    static final class DemoOptions {
        static final String USAGE = "usage: belfry demo [--seconds N] [--clients N], both from 1";
        private static final int CLIENTS_MAX = 100_000;

        /** 0 = until Ctrl-C. */
        @Option(names = "--seconds")
        int seconds;

        @Option(names = "--clients")
        int clients = 1000;

        @Option(names = {"-h", "--help"})
        boolean help;

        static DemoOptions parse(String... arguments) {
            DemoOptions options = new DemoOptions();
            try {
                ParseResult given = new CommandLine(options).parseArgs(arguments);
                boolean valid = options.seconds >= (given.hasMatchedOption("--seconds") ? 1 : 0);
                Require.that(valid && options.clients >= 1 && options.clients <= CLIENTS_MAX, USAGE);
                return options;
            } catch (ParameterException e) {
                throw new IllegalArgumentException(e.getMessage() + "; " + USAGE, e);
            }
        }
    }
}
