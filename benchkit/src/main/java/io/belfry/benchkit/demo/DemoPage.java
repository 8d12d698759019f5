package io.belfry.benchkit.demo;

import io.belfry.benchkit.measure.Texts;
import io.belfry.client.BelfryClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The page of the demo: its files, which the build of the JavaScript client writes, its address, and the prices that it
 * shows. Immutable.
 *
 * @param folder the folder of the page, which does not exist if the client was not built
 * @param console whether the pages of the console were built
 */
record DemoPage(Path folder, boolean console) {
    static final String SUBJECT = "/demo/price";
    private static final long INTERVAL_MILLIS = 200;
    private static final double FIRST_PRICE = 100;
    private static final double LARGEST_STEP = 0.5;

    /** Returns the page of the project in {@code home}. */
    static DemoPage of(Path home) {
        return new DemoPage(
                home.resolve("clients/js/build/page"), Files.isDirectory(home.resolve("console/build/site")));
    }

    private boolean isBuilt() {
        return Files.exists(folder.resolve("belfry.min.js"));
    }

    /** Returns the settings of a server that serves the page. */
    List<String> settings() {
        return isBuilt() ? List.of("DocumentRoot=" + folder) : List.of();
    }

    /** Returns the line that the demo prints for a server at {@code address}, {@code host:port}. */
    String line(String address) {
        return isBuilt()
                ? "page with live messages: http://" + address + "/?subject=" + SUBJECT
                : "no page with live messages: the JavaScript client is not built; to build it, install npm and run:"
                        + " (cd clients/js && npm ci && npm run build)";
    }

    /** Returns the line about the figures of a server whose monitor has this address. */
    String figuresLine(String monitor) {
        return (console ? "console: " + monitor + "/console/, " : "") + "figures: " + monitor + "/stats";
    }

    /** Publishes a price at a fixed interval until it is closed. Owner: the main thread. */
    static final class Prices implements AutoCloseable {
        private final BelfryClient client;
        private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        private double price = FIRST_PRICE;

        Prices(String address) {
            client = BelfryClient.builder().server("ws://" + address).build().start();
            timer.scheduleAtFixedRate(this::publish, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        }

        /** Runs on the thread of the timer. A failed publish is not repeated, because the next price follows. */
        private void publish() {
            price = Math.max(1, price + (Math.random() - 0.5) * 2 * LARGEST_STEP);
            client.publish(SUBJECT, Texts.format("%.2f", price));
        }

        @Override
        public void close() {
            timer.shutdownNow();
            client.close();
        }
    }
}
