package io.belfry.attack.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The server's own figures, no older than a second. Owner: the main thread. */
final class Stats implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final HttpRequest request;

    /** {@code address} is {@code http://host:port}. */
    Stats(String address) {
        request = HttpRequest.newBuilder(URI.create(address + "/stats"))
                .timeout(PATIENCE)
                .build();
    }

    /** One of the counters, or 0 where the server has none of this name. */
    long counter(String name) throws IOException {
        return look().path("counters").path(name).asLong();
    }

    JsonNode look() throws IOException {
        try {
            HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            if (answer.statusCode() != 200) {
                throw new IOException("the server's monitor answers " + answer.statusCode());
            }
            return JSON.readTree(answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
