package io.belfry.bench.sample;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** The HTTP monitor of the server under test. Any thread. */
public final class Monitor implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final HttpRequest stats;

    /** {@code address} is {@code http://host:port}. */
    public Monitor(String address) {
        stats = HttpRequest.newBuilder(URI.create(address + "/stats"))
                .timeout(PATIENCE)
                .build();
    }

    /** The figures now; empty where the server does not answer with them. */
    public Optional<JsonNode> stats() {
        try {
            HttpResponse<byte[]> answer = client.send(stats, HttpResponse.BodyHandlers.ofByteArray());
            return answer.statusCode() == 200 ? Optional.of(JSON.readTree(answer.body())) : Optional.empty();
        } catch (IOException e) {
            // Down, or too busy to answer within the patience: a look without figures.
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
