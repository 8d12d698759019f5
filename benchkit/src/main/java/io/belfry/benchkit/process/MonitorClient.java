package io.belfry.benchkit.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Reads the HTTP monitor of a server. Any thread. */
public final class MonitorClient implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private final HttpRequest stats;

    /** {@code address} is {@code http://host:port}; {@code timeout} is that of an answer. */
    public MonitorClient(String address, Duration timeout) {
        stats = HttpRequest.newBuilder(URI.create(address + "/stats"))
                .timeout(timeout)
                .build();
    }

    /** Returns the current figures, or null if the server is down or does not answer in time. */
    public @Nullable JsonNode stats() {
        try {
            HttpResponse<byte[]> answer = client.sendAsync(stats, HttpResponse.BodyHandlers.ofByteArray())
                    .join();
            return answer.statusCode() == 200 ? JSON.readTree(answer.body()) : null;
        } catch (CompletionException | IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
