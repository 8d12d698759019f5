package io.belfry.clients.driver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.client.BelfryClient;
import io.belfry.client.Encoding;
import io.belfry.client.Message;
import io.belfry.client.PublishException;
import io.belfry.client.PublishOptions;
import io.belfry.client.ReconnectPolicy;
import io.belfry.client.RequestOptions;
import io.belfry.client.Requests;
import io.belfry.client.Status;
import io.belfry.client.SubjectWatch;
import io.belfry.client.SubscribeException;
import io.belfry.client.SubscribeOptions;
import io.belfry.client.Transport;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.SkippingClock;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.Position;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One client of the driver. Owner: the main thread; the client's thread reports through the output. */
final class DriverClient {
    private static final int READ_BUFFER_BYTES = 64 << 10;
    private static final int STREAM_BUFFER = 1000;

    private final String name;
    private final ProtocolOutput out;
    private final TokenQuestions tokens;
    private final @Nullable SkippingClock clock;
    private final @Nullable ClientLoop loop;
    private final BelfryClient client;
    private final Requests requests;
    private final Map<String, Following> subscriptions = new HashMap<>();

    private final Map<String, SubjectWatch> watches = new HashMap<>();

    DriverClient(String name, JsonNode options, ProtocolOutput out) {
        this.name = name;
        this.out = out;
        this.tokens = new TokenQuestions(name, out);
        this.clock = options.path("clock").asBoolean() ? new SkippingClock() : null;
        this.loop = clock == null ? null : new ClientLoop("belfry-client", READ_BUFFER_BYTES, clock);
        this.client = builder(options).build().start();
        this.requests = new Requests(client);
    }

    private BelfryClient.Builder builder(JsonNode options) {
        StatusLines statuses = new StatusLines(name, transport(options), out);
        boolean throwing = options.path("statusThrows").asBoolean();
        BelfryClient.Builder builder = BelfryClient.builder()
                .transport(transport(options))
                .reconnect(policy(options))
                .listener(status -> {
                    statuses.write(status);
                    if (throwing && !(status instanceof Status.ListenerFailed)) {
                        throw new IllegalStateException("a status listener that throws");
                    }
                });
        for (JsonNode server : options.path("servers")) {
            builder.server(server.path("url").asText(), server.path("weight").asInt(1));
        }
        if (options.has("encoding")) {
            builder.encoding(Encoding.valueOf(options.path("encoding").asText().toUpperCase(Locale.ROOT)));
        }
        builder.compression(options.path("compression").asBoolean());
        if (options.has("token")) {
            builder.token(options.path("token").asText());
        }
        if (options.path("tokenSource").asBoolean()) {
            builder.token(tokens::ask);
        }
        millis(options, "pingMillis", builder::pingInterval);
        millis(options, "connectTimeoutMillis", builder::connectTimeout);
        millis(options, "publishTimeoutMillis", builder::publishTimeout);
        if (options.has("pendingCount")) {
            builder.pending(options.path("pendingCount").asInt(), Integer.MAX_VALUE);
        }
        builder.keepSession(options.path("keepSession").asBoolean());
        if (options.has("clientName")) {
            builder.clientName(options.path("clientName").asText());
        }
        if (loop != null) {
            builder.loop(loop);
        }
        return builder;
    }

    private static void millis(JsonNode options, String member, Consumer<Duration> option) {
        if (options.has(member)) {
            option.accept(Duration.ofMillis(options.path(member).asLong()));
        }
    }

    private static Transport transport(JsonNode options) {
        return switch (options.path("transports").path(0).asText("webSocket")) {
            case "httpStream" -> Transport.HTTP_STREAM;
            case "sse" -> Transport.SSE;
            default -> Transport.WEBSOCKET;
        };
    }

    private ReconnectPolicy policy(JsonNode options) {
        if (out.fault() == ProtocolOutput.Fault.EAGER) {
            Duration none = Duration.ofNanos(1);
            return new ReconnectPolicy(0, Duration.ZERO, Duration.ZERO, none, Duration.ZERO, Duration.ZERO);
        }
        if (!options.has("retryMaxMillis")) {
            return ReconnectPolicy.DEFAULT;
        }
        Duration max = Duration.ofMillis(options.path("retryMaxMillis").asLong());
        return new ReconnectPolicy(0, max, max, max, Duration.ofSeconds(10), max);
    }

    void execute(String op, JsonNode command, ObjectNode answer) {
        String subject = command.path("subject").asText();
        switch (op) {
            case "subscribe" -> subscribe(subject, command);
            case "unsubscribe" -> unsubscribe(subject);
            case "pause" -> followed(subject).pause();
            case "resume" -> followed(subject).resume();
            case "position" -> answer.put("position", followed(subject).position());
            case "watch" -> watches.put(subject, client.watch(subject, this::interest));
            case "unwatch" -> unwatch(subject);
            case "publish" -> publish(subject, command);
            case "request" -> request(subject, command);
            case "respond" -> client.subscribe(subject, this::respond);
            case "token" -> tokens.answered(command);
            case "clock" -> skip(command.path("skipMillis").asLong(), answer);
            case "close" -> close();
            default -> answer.put("error", "unknown-op").put("reason", op);
        }
    }

    private void subscribe(String subject, JsonNode command) {
        boolean ofPattern = subject.contains("*");
        String from = command.has("from") ? command.path("from").asText() : null;
        SubscribeOptions options = new SubscribeOptions(
                command.path("history").asInt(),
                from == null || ofPattern ? null : position(from),
                command.path("conflateMillis").asInt(),
                ofPattern ? from : null,
                command.path("deltas").asBoolean());
        MessageLines lines =
                new MessageLines(name, subject, command.path("throwsEvery").asInt(), out);
        if (command.path("face").asText().equals("iterator")) {
            StreamLines stream = new StreamLines(lines);
            client.stream(subject, options, command.path("bufferCount").asInt(STREAM_BUFFER))
                    .subscribe(stream);
            subscriptions.put(subject, new Following.ByStream(stream));
        } else {
            subscriptions.put(subject, new Following.ByListener(client.subscribe(subject, lines, options), lines));
        }
    }

    private static Position position(String text) {
        Position position = Position.parse(text);
        if (position == null) {
            throw new IllegalArgumentException("not a position: " + text);
        }
        return position;
    }

    private void unsubscribe(String subject) {
        followed(subject).end();
        subscriptions.remove(subject);
    }

    private Following followed(String subject) {
        Following known = subscriptions.get(subject);
        if (known == null) {
            throw new IllegalStateException("not subscribed: " + subject);
        }
        return known;
    }

    private void interest(String subject, boolean subscribers) {
        out.write(ProtocolOutput.line("interest")
                .put("client", name)
                .put("subject", subject)
                .put("subscribers", subscribers));
    }

    private void unwatch(String subject) {
        SubjectWatch watch = watches.remove(subject);
        if (watch == null) {
            throw new IllegalStateException("not watched: " + subject);
        }
        watch.unwatch();
    }

    private void publish(String subject, JsonNode command) {
        long id = command.path("id").asLong();
        byte[] data = command.has("base64")
                ? Base64.getDecoder().decode(command.path("base64").asText())
                : command.path("text").asText().getBytes(StandardCharsets.UTF_8);
        PublishOptions options = new PublishOptions(
                command.path("retain").asBoolean(),
                command.has("msgId") ? command.path("msgId").asText() : null,
                !command.path("once").asBoolean(),
                headers(command),
                command.path("ttl").asLong(),
                !command.path("noEcho").asBoolean());
        CompletableFuture<Position> published = client.publish(subject, data, options);
        published.whenComplete((at, failure) -> out.write(failure == null ? acked(id, at) : failed(id, failure)));
    }

    private void request(String subject, JsonNode command) {
        long id = command.path("id").asLong();
        byte[] data = command.path("text").asText().getBytes(StandardCharsets.UTF_8);
        RequestOptions options = RequestOptions.timeout(
                Duration.ofMillis(command.path("timeoutMillis").asLong()));
        requests.request(subject, data, options)
                .whenComplete(
                        (reply, failure) -> out.write(failure == null ? replied(id, reply) : failed(id, failure)));
    }

    private ObjectNode replied(long id, Message reply) {
        return ProtocolOutput.line("replied")
                .put("id", id)
                .put("client", name)
                .put("subject", reply.subject())
                .put("text", reply.text());
    }

    private void respond(Message message) {
        if (message.header(MessageHeaders.REPLY_TO) != null) {
            requests.reply(message, "re: " + message.text()).exceptionally(failure -> null);
        }
    }

    private static Map<String, String> headers(JsonNode command) {
        Map<String, String> headers = new LinkedHashMap<>();
        command.path("headers")
                .properties()
                .forEach(each -> headers.put(each.getKey(), each.getValue().asText()));
        return headers;
    }

    private ObjectNode acked(long id, Position at) {
        return ProtocolOutput.line("acked").put("id", id).put("client", name).put("position", at.toString());
    }

    private ObjectNode failed(long id, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        ObjectNode line = ProtocolOutput.line("failed").put("id", id).put("client", name);
        if (cause instanceof PublishException why) {
            line.put("kind", why.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .put("code", why.code());
        }
        if (cause instanceof SubscribeException why) {
            line.put("kind", why.code().equals("client-closed") ? "closed" : "refused")
                    .put("code", why.code());
        }
        return line.put("reason", String.valueOf(cause));
    }

    private void skip(long millis, ObjectNode answer) {
        ClientLoop own = loop;
        if (clock == null || own == null) {
            throw new IllegalStateException("the client was created without a clock");
        }
        clock.skip(Duration.ofMillis(millis));
        CompletableFuture<Long> next = new CompletableFuture<>();
        own.run(() -> next.complete(own.runDueTimers()));
        long nanos = next.join();
        if (nanos >= 0) {
            answer.put("nextMillis", Duration.ofNanos(nanos).toMillis());
        }
    }

    void close() {
        client.close();
        if (loop != null) {
            loop.close();
        }
    }
}
