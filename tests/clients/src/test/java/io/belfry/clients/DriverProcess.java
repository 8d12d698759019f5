package io.belfry.clients;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A running driver: sends commands and distributes answers and events. Any thread. */
final class DriverProcess implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();

    private static final int PROTOCOL = 1;

    /** The capabilities of PROTOCOL.md. */
    private static final List<String> CAPABILITIES = List.of(
            "webSocket",
            "httpStream",
            "sse",
            "longPoll",
            "json",
            "binary",
            "compression",
            "fallback",
            "patterns",
            "history",
            "conflate",
            "publish",
            "pendingBound",
            "publishOnce",
            "watch",
            "callback",
            "iterator",
            "pause",
            "tokenSource",
            "retry",
            "ping",
            "keepSession",
            "clientName",
            "patternPositions",
            "requests",
            "noEcho",
            "delta",
            "clock",
            "resources",
            "tabs",
            "pageLife");

    /** Time for an answer. It only ends tests that fail, and the machine may be busy. */
    private static final long ANSWER_SECONDS = 40;

    private static final long EXIT_SECONDS = 10;
    private static final int ERROR_LINES_MAX = 40;

    private final DriverCommand command;
    private final Process process;
    private final Writer input;
    private final CompletableFuture<JsonNode> hello = new CompletableFuture<>();
    private final Map<Long, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final Map<String, Consumer<JsonNode>> clients = new ConcurrentHashMap<>();
    private final ConcurrentLinkedDeque<String> errors = new ConcurrentLinkedDeque<>();
    private final ConcurrentLinkedDeque<String> faults = new ConcurrentLinkedDeque<>();
    private final Set<String> capabilities = new HashSet<>();
    private long lastId;

    /** The driver answered a command with an error. */
    static final class CommandRefused extends RuntimeException {
        private static final long serialVersionUID = 1;

        CommandRefused(String message) {
            super(message);
        }
    }

    private DriverProcess(DriverCommand command, List<String> flags) throws IOException {
        this.command = command;
        process = command.process(flags).start();
        input = process.outputWriter(StandardCharsets.UTF_8);
        // Not virtual threads: a read of a pipe blocks the carrier, and then those of the proxies in this JVM stand
        // still.
        Thread.ofPlatform().daemon().start(this::readOutput);
        Thread.ofPlatform().daemon().start(this::readErrors);
    }

    static DriverProcess start(DriverCommand command, String... flags) {
        try {
            DriverProcess started = new DriverProcess(command, List.of(flags));
            started.readCapabilities();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readCapabilities() {
        JsonNode said = await(hello, "hello");
        said.path("capabilities").forEach(each -> capabilities.add(each.asText()));
        if (said.path("protocol").asInt() != PROTOCOL) {
            faults.add("the driver does not have version " + PROTOCOL + " of the protocol");
        }
        for (String each : CAPABILITIES) {
            if (capabilities.contains(each) != whyNot(each).isEmpty()) {
                faults.add("the capability " + each + " must be in `capabilities`, or in `without` with a reason");
            }
        }
    }

    private void readOutput() {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                distribute(line);
            }
        } catch (IOException e) {
            faults.add("the output ended: " + e);
        }
        IllegalStateException ended = new IllegalStateException("the driver has ended");
        hello.completeExceptionally(ended);
        answers.values().forEach(each -> each.completeExceptionally(ended));
    }

    private void distribute(String line) {
        try {
            JsonNode event = JSON.readTree(line);
            switch (event.path("op").asText()) {
                case "hello" -> hello.complete(event);
                case "answer" -> {
                    CompletableFuture<JsonNode> waiting =
                            answers.remove(event.path("id").asLong());
                    if (waiting == null) {
                        faults.add("an answer without a command: " + line);
                    } else {
                        waiting.complete(event);
                    }
                }
                default ->
                    clients.getOrDefault(
                                    event.path("client").asText(), other -> faults.add("an unknown client: " + line))
                            .accept(event);
            }
        } catch (JsonProcessingException | RuntimeException e) {
            faults.add(e + ", reading: " + line);
        }
    }

    private void readErrors() {
        try (BufferedReader in = process.errorReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                errors.add(line);
                if (errors.size() > ERROR_LINES_MAX) {
                    errors.poll();
                }
            }
        } catch (IOException e) {
            errors.add("standard error ended: " + e);
        }
    }

    String client() {
        return command.client();
    }

    long pid() {
        return process.pid();
    }

    Set<String> capabilities() {
        return capabilities;
    }

    /** Returns the driver's reason for a capability that it lacks, or an empty text. */
    String whyNot(String capability) {
        return hello.join().path("without").path(capability).asText();
    }

    void register(String client, Consumer<JsonNode> events) {
        clients.put(client, events);
    }

    /** Sends a command and waits for its answer. The line has its id afterwards. */
    JsonNode call(ObjectNode line) {
        JsonNode answer = await(send(line), line.toString());
        if (answer.has("error")) {
            throw new CommandRefused(line + ": " + answer.path("error").asText() + ", "
                    + answer.path("reason").asText());
        }
        return answer;
    }

    private synchronized CompletableFuture<JsonNode> send(ObjectNode line) {
        long id = ++lastId;
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        try {
            input.write(JSON.writeValueAsString(line.put("id", id)) + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(toString(), e);
        }
        return answer;
    }

    private JsonNode await(CompletableFuture<JsonNode> future, String what) {
        try {
            return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw new AssertionError(this + " did not answer " + what, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns violations of the driver protocol. */
    List<String> faults() {
        return List.copyOf(faults);
    }

    /** Closes the driver's input and waits for its end; returns the exit code. */
    int end() {
        try {
            input.close();
            if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(this + " did not end after its input ended");
            }
            return process.exitValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    @Override
    public String toString() {
        return "driver of " + client() + " (its errors: " + String.join("\n", errors) + ")";
    }
}
