package io.belfry.cli;

import io.belfry.client.BelfryClient;
import io.belfry.client.PublishException;
import io.belfry.client.PublishOptions;
import io.belfry.protocol.Position;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code belfry pub}: publishes an argument or standard input. Owner: the main thread. */
@Command(
        name = "pub",
        description = {
            "Publishes a message and prints its position.",
            "Without DATA, the message is the whole standard input, or each of its lines with --lines.",
            "A publish without an answer is repeated after a reconnect; the server drops duplicates."
        },
        sortOptions = false,
        footer = {"", ClientMain.EXIT_CODES})
final class PubCommand implements Callable<Integer> {
    private static final Pattern TTL = Pattern.compile("([0-9]{1,11})(ms|s|m|h)");
    private static final int UNANSWERED_MAX = 1000;

    /** Number of lines after which the rate is checked. */
    private static final int RATE_CHECK = 100;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "SUBJECT", description = "the subject")
    private String subject = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "DATA", description = "the data, sent as UTF-8")
    private @Nullable String data;

    @Mixin
    private ConnectOptions connection = new ConnectOptions();

    @Option(names = "--lines", description = "publishes each line of standard input")
    private boolean lines;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "50000",
            description =
                    "publishes at most N lines per second; the server has a limit too (default: ${DEFAULT-VALUE})")
    private int rate;

    @Option(names = "--retain", description = "the server keeps the message as the subject's retained message")
    private boolean retain;

    @Option(
            names = "--msg-id",
            paramLabel = "ID",
            description = "the id by which the server detects a repeated publish (default: a random one)")
    private @Nullable String msgId;

    @Option(
            names = "--header",
            paramLabel = "NAME=VALUE",
            description = "adds a header to the message; may be repeated up to 16 times")
    private List<String> headers = List.of();

    @Option(
            names = "--ttl",
            paramLabel = "TIME",
            description = "the server does not deliver the message after this time, such as 500ms, 30s, 10m or 24h")
    private @Nullable String ttl;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "time to wait for the answer (default: ${DEFAULT-VALUE})")
    private int timeoutSeconds;

    @Option(
            names = {"-q", "--quiet"},
            description = "prints no positions and no changes of the connection")
    private boolean quiet;

    private final Queue<CompletableFuture<Position>> unanswered = new ArrayDeque<>();

    private long answered;

    private PubCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (lines && (data != null || msgId != null)) {
            throw new IllegalArgumentException("--lines allows neither DATA nor --msg-id");
        }
        if (timeoutSeconds < 1 || rate < 1) {
            throw new IllegalArgumentException("--timeout and --rate must be 1 or more");
        }
        PublishOptions options = new PublishOptions(retain, msgId, true, HeaderOptions.named(headers), ttlMillis());
        PrintWriter err = spec.commandLine().getErr();
        StatusPrinter statuses = new StatusPrinter(err, quiet, refused -> {});
        try (BelfryClient client = connection
                .client(statuses)
                .publishTimeout(Duration.ofSeconds(timeoutSeconds))
                .build()) {
            client.start();
            if (lines) {
                publishLines(client, options);
            } else {
                byte[] message = data == null ? System.in.readAllBytes() : data.getBytes(StandardCharsets.UTF_8);
                unanswered.add(client.publish(subject, message, options));
            }
            while (!unanswered.isEmpty()) {
                printAnswer();
            }
        } finally {
            spec.commandLine().getOut().flush();
        }
        return ExitCode.OK;
    }

    private long ttlMillis() {
        if (ttl == null) {
            return 0;
        }
        Matcher time = TTL.matcher(ttl);
        if (!time.matches()) {
            throw new IllegalArgumentException("--ttl " + ttl + ": must be a time such as 500ms, 30s, 10m or 24h");
        }
        return Long.parseLong(time.group(1))
                * switch (time.group(2)) {
                    case "s" -> 1000;
                    case "m" -> 60_000;
                    case "h" -> 3_600_000;
                    default -> 1;
                };
    }

    private void publishLines(BelfryClient client, PublishOptions options) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        long began = System.nanoTime();
        long sent = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (++sent % RATE_CHECK == 0) {
                TimeUnit.NANOSECONDS.sleep(began + sent * TimeUnit.SECONDS.toNanos(1) / rate - System.nanoTime());
            }
            while (!unanswered.isEmpty()
                    && (mustWait(client) || unanswered.element().isDone())) {
                printAnswer();
            }
            unanswered.add(client.publish(subject, line.getBytes(StandardCharsets.UTF_8), options));
        }
    }

    private boolean mustWait(BelfryClient client) {
        return unanswered.size() >= UNANSWERED_MAX || !client.isWritable();
    }

    /** Waits for the oldest answer. */
    private void printAnswer() throws IOException {
        answered++;
        try {
            Position position = unanswered.remove().join();
            if (!quiet) {
                spec.commandLine().getOut().println(position);
            }
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof PublishException refused) {
                throw new IOException((lines ? "line " + answered + ": " : "") + refused.getMessage(), refused);
            }
            throw failed;
        }
    }
}
