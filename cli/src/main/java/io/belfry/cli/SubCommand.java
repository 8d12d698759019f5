package io.belfry.cli;

import io.belfry.client.BelfryClient;
import io.belfry.client.Message;
import io.belfry.client.StreamItem;
import io.belfry.client.SubscribeOptions;
import io.belfry.client.Transport;
import io.belfry.protocol.Position;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code belfry sub}: prints the messages of subjects and patterns until Ctrl-C. Owner: the main thread. */
@Command(
        name = "sub",
        description = {
            "Prints the messages of subjects and patterns, one per line, until Ctrl-C.",
            "After a disconnect it reconnects and continues; messages that are lost are printed as a gap.",
            "A line has the subject, the position, the type and the data."
        },
        sortOptions = false,
        footer = {"", ClientMain.EXIT_CODES})
final class SubCommand implements Callable<Integer> {
    /** Items that a subscription may have in this program. More wait in the client, and then at the server. */
    private static final int WINDOW = 256;

    private static final int BUFFERED_MAX = 1000;

    /** One thing to print, or the reason for the end. */
    private record Received(
            @Nullable StreamItem item,
            Flow.@Nullable Subscription from,
            @Nullable Throwable failure) {}

    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "1..*", paramLabel = "SUBJECT", description = "a subject or pattern, such as /prices/*")
    private List<String> subjects = new ArrayList<>();

    @Mixin
    private ConnectOptions connection = new ConnectOptions();

    @Option(
            names = "--from",
            paramLabel = "EPOCH:SEQ",
            description = "begins after this position; one subject, no pattern")
    private @Nullable String from;

    @Option(names = "--history", paramLabel = "N", description = "begins with up to N stored messages; no patterns")
    private int history;

    @Option(
            names = "--conflate",
            paramLabel = "MS",
            description = "at most one message per subject, the latest, in each interval of this many milliseconds")
    private int conflateMillis;

    @Option(names = "--count", paramLabel = "N", description = "ends after N messages")
    private long count = Long.MAX_VALUE;

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            defaultValue = "websocket",
            description = "websocket, http_stream or sse (default: ${DEFAULT-VALUE})")
    private Transport transport = Transport.WEBSOCKET;

    @Option(
            names = {"-q", "--quiet"},
            description = "prints no changes of the connection")
    private boolean quiet;

    private SubCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        SubscribeOptions options = new SubscribeOptions(history, position(), conflateMillis);
        StatusPrinter statuses = new StatusPrinter(
                spec.commandLine().getErr(),
                quiet,
                reason -> received.add(new Received(null, null, new IOException(reason))));
        try (BelfryClient client =
                        connection.client(statuses).transport(transport).build();
                OutputStream out = OutputOptions.open()) {
            for (String subject : subjects) {
                client.stream(subject, options, BUFFERED_MAX).subscribe(new Receiver());
            }
            client.start();
            print(out);
        }
        return ExitCode.OK;
    }

    private @Nullable Position position() {
        if (from == null) {
            return null;
        }
        Position position = Position.parse(from);
        if (position == null || subjects.size() > 1) {
            throw new IllegalArgumentException(
                    position == null ? "--from must be EPOCH:SEQ, not " + from : "--from allows one subject");
        }
        return position;
    }

    private void print(OutputStream out) throws IOException, InterruptedException {
        while (count > 0) {
            Received next = received.poll();
            if (next == null) {
                out.flush();
                next = received.take();
            }
            if (next.failure() instanceof RuntimeException refused) {
                throw refused;
            }
            if (next.failure() != null) {
                throw new IOException(next.failure().getMessage(), next.failure());
            }
            if (next.item() != null && next.from() != null) {
                output.format().write(next.item(), out);
                next.from().request(1);
                // A gap is not a message.
                count -= next.item() instanceof Message ? 1 : 0;
            }
        }
    }

    /** Passes the items of one subscription to the main thread. Called by the client's thread. */
    private final class Receiver implements Flow.Subscriber<StreamItem> {
        private Flow.@Nullable Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription begun) {
            subscription = begun;
            begun.request(WINDOW);
        }

        @Override
        public void onNext(StreamItem item) {
            received.add(new Received(item, subscription, null));
        }

        @Override
        public void onError(Throwable failure) {
            received.add(new Received(null, null, failure));
        }

        @Override
        public void onComplete() {}
    }
}
