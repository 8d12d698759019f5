package io.belfry.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code belfry top}: shows the figures of nodes and their slowest sessions. Owner: the main thread. */
@Command(
        name = "top",
        description = {
            "Shows sessions, rates, latency, event loops and the slowest sessions of nodes, until Ctrl-C.",
            "It reads the HTTP monitor, which the key Monitor = JMX, HTTP opens."
        },
        sortOptions = false,
        footer = {"", "Exit codes: 0 success, 1 a monitor did not answer (with --once), 2 invalid option"})
final class TopCommand implements Callable<Integer> {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
    private static final Path DEFAULT_PASSWORD = Path.of("logs", "monitor.password");
    private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J\u001b[3J";
    private static final int LINES = 24;
    private static final JsonMapper MAPPER = new JsonMapper();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-m", "--monitor"},
            paramLabel = "URL",
            defaultValue = "http://127.0.0.1:4000",
            description = "HTTP monitor of a node; may be repeated (default: ${DEFAULT-VALUE})")
    private List<String> monitors = List.of();

    @Option(
            names = "--user",
            paramLabel = "NAME",
            defaultValue = "admin",
            description = "name for the monitor (default: ${DEFAULT-VALUE})")
    private String user = "admin";

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "the first line is the password (default: logs/monitor.password if it exists)")
    private @Nullable Path passwordFile;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "time between two readings (default: ${DEFAULT-VALUE})")
    private int intervalSeconds;

    @Option(names = "--once", description = "prints the figures once and ends")
    private boolean once;

    @Option(
            names = "--json",
            description = "prints one JSON object per node and reading: that of /stats, and its monitor")
    private boolean json;

    private TopCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (intervalSeconds < 1) {
            throw new IllegalArgumentException("--interval must be 1 or more, not " + intervalSeconds);
        }
        Optional<String> password = password();
        PrintWriter out = spec.commandLine().getOut();
        boolean clears = !once
                && !json
                && Optional.ofNullable(System.console())
                        .filter(Console::isTerminal)
                        .isPresent();
        boolean answered = true;
        try (HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(ANSWER_MAX)
                .build()) {
            do {
                StringBuilder screen = new StringBuilder();
                answered = true;
                for (String monitor : monitors) {
                    answered &= append(screen, client, monitor, password);
                }
                out.print((clears ? CLEAR_SCREEN : "") + screen);
                out.flush();
                if (!once) {
                    TimeUnit.SECONDS.sleep(intervalSeconds);
                }
            } while (!once && !out.checkError());
        }
        return answered ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private Optional<String> password() throws IOException {
        Path file = passwordFile == null ? DEFAULT_PASSWORD : passwordFile;
        if (passwordFile == null && !Files.isReadable(file)) {
            return Optional.empty();
        }
        return Optional.of(ConnectOptions.firstLine(file));
    }

    /** Appends the figures of a node, or the reason why there are none; returns whether there are any. */
    private boolean append(StringBuilder screen, HttpClient client, String monitor, Optional<String> password)
            throws InterruptedException {
        try {
            HttpResponse<String> stats = get(client, monitor + "/stats", password);
            if (stats.statusCode() != 200) {
                throw new IOException(
                        stats.statusCode() == 401
                                ? "the name or the password is wrong; see --user and --password-file"
                                : "HTTP " + stats.statusCode());
            }
            ObjectNode figures = (ObjectNode) MAPPER.readTree(stats.body());
            if (json) {
                screen.append(figures.put("monitor", monitor)).append('\n');
            } else {
                NodeView view = new NodeView(monitor, figures, state(get(client, monitor + "/health/ready", password)));
                screen.append(view.text(once ? Integer.MAX_VALUE : LINES, System.currentTimeMillis()))
                        .append('\n');
            }
            return true;
        } catch (IOException unreachable) {
            String reason = unreachable.getMessage() == null ? unreachable.toString() : unreachable.getMessage();
            if (json) {
                screen.append(MAPPER.createObjectNode().put("monitor", monitor).put("error", reason));
                screen.append('\n');
            } else {
                screen.append(monitor).append(": ").append(reason).append("\n\n");
            }
            return false;
        }
    }

    private static String state(HttpResponse<String> ready) throws IOException {
        if (ready.statusCode() == 200) {
            return "ready";
        }
        JsonNode error = MAPPER.readTree(ready.body());
        return error.path("code").asText() + ", " + error.path("reason").asText();
    }

    private HttpResponse<String> get(HttpClient client, String url, Optional<String> password)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(ANSWER_MAX);
        password.ifPresent(secret -> request.header(
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString((user + ":" + secret).getBytes(StandardCharsets.UTF_8))));
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
