package io.belfry.server.entitlement;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Fetches a key set, within bounds of time and size, from the configured address only: redirects are not followed. It may
 * block, so it never runs on a lane. Owner: the thread that watches the keys.
 */
final class KeyUrl implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int BYTES_MAX = 1 << 20;

    private final URI url;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(PATIENCE)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();

    KeyUrl(URI url) {
        this.url = url;
    }

    String fetch() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(url)
                .timeout(PATIENCE)
                .header("Accept", "application/jwk-set+json, application/json")
                .build();
        HttpResponse<String> answer = client.send(
                request,
                HttpResponse.BodyHandlers.limiting(
                        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8), BYTES_MAX));
        if (answer.statusCode() != 200) {
            throw new IOException("the status of the answer is " + answer.statusCode());
        }
        return answer.body();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
