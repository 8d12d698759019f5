package io.belfry.cli;

import io.belfry.client.BelfryClient;
import io.belfry.client.Message;
import io.belfry.client.PublishException;
import io.belfry.client.RequestOptions;
import io.belfry.client.Requests;
import io.belfry.client.SubscribeException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code belfry request}: publishes a request and prints its reply. Owner: the main thread. */
@Command(
        name = "request",
        description = {
            "Publishes a request and prints the data of the first reply.",
            "Without DATA, the request is the whole standard input.",
            "The error no-reply means that no reply arrived within the time limit."
        },
        sortOptions = false,
        footer = {"", ClientMain.EXIT_CODES})
final class RequestCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "SUBJECT", description = "the subject of the responder")
    private String subject = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "DATA", description = "the data, sent as UTF-8")
    private @Nullable String data;

    @Mixin
    private ConnectOptions connection = new ConnectOptions();

    @Option(
            names = "--header",
            paramLabel = "NAME=VALUE",
            description = "adds a header to the request; may be repeated up to 14 times")
    private List<String> headers = List.of();

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "time to wait for the reply (default: ${DEFAULT-VALUE})")
    private int timeoutSeconds;

    @Option(
            names = "--format",
            paramLabel = "FORM",
            defaultValue = "data",
            description = "data (only the data of the reply), text or json (default: ${DEFAULT-VALUE})")
    private ItemFormat format = ItemFormat.DATA;

    @Option(
            names = {"-q", "--quiet"},
            description = "prints no changes of the connection")
    private boolean quiet;

    private RequestCommand() {}

    @Override
    public Integer call() throws IOException {
        if (timeoutSeconds < 1) {
            throw new IllegalArgumentException("--timeout must be 1 or more");
        }
        Duration timeout = Duration.ofSeconds(timeoutSeconds);
        RequestOptions options = RequestOptions.timeout(timeout).withHeaders(HeaderOptions.named(headers));
        CompletableFuture<Message> outcome = new CompletableFuture<>();
        StatusPrinter statuses = new StatusPrinter(
                spec.commandLine().getErr(), quiet, reason -> outcome.completeExceptionally(new IOException(reason)));
        byte[] request = data == null ? System.in.readAllBytes() : data.getBytes(StandardCharsets.UTF_8);
        try (BelfryClient client =
                        connection.client(statuses).publishTimeout(timeout).build();
                OutputStream out = OutputOptions.open()) {
            client.start();
            new Requests(client).request(subject, request, options).whenComplete((reply, failure) -> {
                if (failure == null) {
                    outcome.complete(reply);
                } else {
                    outcome.completeExceptionally(failure);
                }
            });
            Message reply = outcome.join();
            format.write(reply, out);
        } catch (CompletionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof PublishException
                    || cause instanceof SubscribeException
                    || cause instanceof IOException) {
                throw new IOException(cause.getMessage(), cause);
            }
            throw failed;
        }
        return ExitCode.OK;
    }
}
