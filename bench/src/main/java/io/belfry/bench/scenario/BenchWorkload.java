package io.belfry.bench.scenario;

import io.belfry.benchkit.measure.Require;
import io.belfry.benchkit.measure.Stamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The size of a scenario, as options of the command line; the initial values are those of a plain workload. Owner: the main
 * thread, which fills the options in and then only reads them.
 */
public final class BenchWorkload {
    private static final Pattern CPUS = Pattern.compile("\\d+(-\\d+)?(,\\d+(-\\d+)?)*");

    /** Number of subscribers. */
    @Option(names = "--clients", paramLabel = "N", description = "number of subscribers, or of users for rooms")
    public int clients = 1000;

    /** Messages per second, all publishers together. */
    @Option(names = "--rate", paramLabel = "N", description = "messages published per second; 0 = none")
    public double rate = 1000;

    @Option(names = "--size", paramLabel = "BYTES", description = "size of the data of a message")
    int size = 512;

    @Option(
            names = {"--subjects", "--rooms"},
            paramLabel = "N",
            description = "number of subjects, or of rooms")
    int subjects = 100;

    @Option(names = "--burst", paramLabel = "N", description = "messages with the same intended time; the rate stays")
    int burst = 1;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = Seconds.class,
            description = "duration of the measurement, such as 30s or 2m")
    public double durationSeconds = 30;

    @Option(
            names = "--warm-up",
            paramLabel = "TIME",
            converter = Seconds.class,
            description = "time before the measurement, without latencies")
    public double warmUpSeconds = 5;

    @Option(names = "--connect-rate", paramLabel = "N", description = "connections begun per second")
    int connectRate = 2000;

    @Option(
            names = "--hold",
            paramLabel = "TIME",
            description = "churn: time until a client closes its connection, such as '1 s +-10 %%'")
    String holdTime = "1 s +-10 %";

    @Option(
            names = "--ramp",
            paramLabel = "TIME",
            converter = Seconds.class,
            description = "churn: duration of the ramp up and of the ramp down")
    public double rampSeconds = 10;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "slow: the server's policy for slow readers: disconnect, drop or conflate")
    @Nullable
    String policy;

    @Option(names = "--pairs", paramLabel = "N", description = "slow: number of pairs of runs to compare")
    int pairs = 1;

    @Option(names = "--encoding", paramLabel = "NAME", description = "binary or json")
    String encoding = "binary";

    @Option(names = "--transport", paramLabel = "NAME", description = "websocket, http-stream or sse")
    String transport = "websocket";

    @Option(names = "--server-set", paramLabel = "KEY=VALUE", description = "a setting of the server under test")
    List<String> serverSettings = new ArrayList<>();

    @Option(
            names = "--server-cpus",
            paramLabel = "LIST",
            description = "processors of the server, such as 0,2-3 (Linux)")
    @Nullable
    String serverCpus;

    @Option(names = "--generator-cpus", paramLabel = "LIST", description = "processors of the load generators")
    @Nullable
    String generatorCpus;

    /** The token of the publisher. */
    public Optional<String> token = Optional.empty();

    /** Throws {@link IllegalArgumentException} if a value is outside its bounds. */
    public void check() {
        Require.that(clients >= 1 && clients <= 10_000_000, "--clients must be from 1 to 10,000,000");
        Require.that(rate >= 0 && rate <= 10_000_000, "--rate must be from 0 to 10,000,000");
        Require.that(size >= Stamp.BYTES && size <= 1 << 24, "--size must be from " + Stamp.BYTES + " bytes to 16 MB");
        Require.that(subjects >= 1, "--subjects must be at least 1");
        Require.that(durationSeconds >= 1, "--duration must be at least 1 s");
        Require.that(warmUpSeconds >= 0, "--warm-up must be at least 0");
        Require.that(pairs >= 1 && pairs <= 100, "--pairs must be from 1 to 100");
        Require.that(connectRate >= 1, "--connect-rate must be at least 1");
        Require.that(areCpus(serverCpus), "--server-cpus must be a list such as 0,2-3, not " + serverCpus);
        Require.that(areCpus(generatorCpus), "--generator-cpus must be a list such as 0,2-3, not " + generatorCpus);
    }

    private static boolean areCpus(@Nullable String list) {
        return list == null || CPUS.matcher(list).matches();
    }

    /** Settings of the server as {@code Key=value}, in addition to those of every server under test. */
    List<String> serverSettings() {
        List<String> settings = new ArrayList<>();
        if (policy != null) {
            settings.add("SlowConsumer=" + policy);
        }
        settings.addAll(serverSettings);
        return settings;
    }

    /** Parses a time such as {@code 500ms}, {@code 30s} or {@code 2m} to seconds; a bare number is in seconds. */
    static final class Seconds implements ITypeConverter<Double> {
        private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*(ms|s|m|h|)");

        @Override
        public Double convert(String text) {
            Matcher matcher = FORM.matcher(text.strip());
            if (!matcher.matches()) {
                throw new TypeConversionException("must be a time such as 30s or 2m, not " + text);
            }
            double number = Double.parseDouble(matcher.group(1));
            return switch (matcher.group(2)) {
                case "ms" -> number / 1000;
                case "m" -> number * 60;
                case "h" -> number * 3600;
                default -> number;
            };
        }
    }
}
