package io.belfry.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.ServerAddress;
import io.belfry.client.StreamItem;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code belfry history}: prints the stored messages of a subject, oldest first, and ends. Owner: the main thread. */
@Command(
        name = "history",
        description = {
            "Prints the stored messages of a subject, oldest first.",
            "With several --server, the first one is asked."
        },
        sortOptions = false,
        footer = {"", ClientMain.EXIT_CODES})
final class HistoryCommand implements Callable<Integer> {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(60);
    private static final JsonMapper MAPPER = new JsonMapper();

    @Parameters(paramLabel = "SUBJECT", description = "the subject")
    private String subject = "";

    @Mixin
    private ConnectOptions connection = new ConnectOptions();

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "100",
            description = "the latest N messages (default: ${DEFAULT-VALUE})")
    private int count;

    @Option(
            names = "--from",
            paramLabel = "EPOCH:SEQ",
            description = "all messages after this position instead of the latest")
    private @Nullable String from;

    @Mixin
    private OutputOptions output = new OutputOptions();

    private HistoryCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (from != null && Position.parse(from) == null) {
            throw new IllegalArgumentException("--from must be EPOCH:SEQ, not " + from);
        }
        String after = from == null ? "&count=" + count : "&from=" + from;
        try (HttpClient client = httpClient();
                OutputStream out = OutputOptions.open()) {
            boolean more = true;
            while (more) {
                JsonNode answer = ask(client, after);
                for (JsonNode event : answer.path("messages")) {
                    output.format().write(item(event), out);
                    after = "&from=" + event.path("epoch").asLong() + ':'
                            + event.path("seq").asLong();
                }
                // One answer has a limit; the next one continues it.
                more = answer.path("truncated").asBoolean();
            }
        }
        return ExitCode.OK;
    }

    private JsonNode ask(HttpClient client, String after) throws IOException, InterruptedException {
        ServerAddress server = connection.firstServer();
        URI uri = URI.create(server.toString().replaceFirst("ws", "http").replaceFirst("/$", "") + "/history?subject="
                + URLEncoder.encode(subject, StandardCharsets.UTF_8) + after);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(ANSWER_MAX);
        String token = connection.token();
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<InputStream> response;
        try {
            response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException failed) {
            throw new IOException(server + " did not answer: " + failed, failed);
        }
        try (InputStream body = response.body()) {
            JsonNode answer = MAPPER.readTree(body);
            if (response.statusCode() != 200) {
                throw new IOException(
                        server + " refused: " + answer.path("code").asText("HTTP " + response.statusCode()) + ": "
                                + answer.path("reason").asText());
            }
            return answer;
        }
    }

    private static StreamItem item(JsonNode event) throws IOException {
        String subject = event.path("subject").asText();
        if (event.path("op").asText().equals("gap")) {
            return new Gap(
                    subject,
                    Position.parse(event.path("from").asText()),
                    Position.parse(event.path("to").asText()),
                    event.path("reason").asText());
        }
        return new Message(
                subject,
                event.has("base64")
                        ? event.path("base64").binaryValue()
                        : event.path("data").asText().getBytes(StandardCharsets.UTF_8),
                new Position(event.path("epoch").asLong(), event.path("seq").asLong()),
                event.path("time").asLong(),
                MessageType.valueOf(event.path("type").asText("live").toUpperCase(Locale.ROOT)),
                event.path("retained").asBoolean(),
                headers(event.path("headers")));
    }

    private static Map<String, String> headers(JsonNode json) {
        Map<String, String> headers = new LinkedHashMap<>();
        json.properties()
                .forEach(each -> headers.put(each.getKey(), each.getValue().asText()));
        return headers;
    }

    private HttpClient httpClient() throws IOException {
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(CONNECT_MAX).version(HttpClient.Version.HTTP_1_1);
        Path trusted = connection.trusted();
        if (trusted != null) {
            builder.sslContext(trusting(trusted));
        }
        return builder.build();
    }

    /** Returns a TLS context that trusts only the certificates in a PEM file. */
    private static SSLContext trusting(Path file) throws IOException {
        try (InputStream pem = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry("trusted-" + store.size(), each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException wrong) {
            throw new IllegalArgumentException(
                    "cannot use the certificates in " + file + ": " + wrong.getMessage(), wrong);
        }
    }
}
