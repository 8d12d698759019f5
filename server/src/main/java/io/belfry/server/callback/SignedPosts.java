package io.belfry.server.callback;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends signed JSON by POST and waits for the answer, within one time limit for the whole exchange and a maximum size. Redirects
 * are not followed, so that an answer never chooses another address. Any thread except a lane's, because it blocks.
 */
public final class SignedPosts implements AutoCloseable {
    /** The status and the body of an answer. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    public record Answer(int status, byte[] body) {}

    private final WebhookSecrets secrets;
    private final int answerBytesMax;
    private final LongSupplier nowMillis;
    private final HttpClient client;

    /**
     * Creates a sender.
     *
     * @param authorities PEM file with the authorities that certificates are checked by, instead of the JDK's
     */
    public SignedPosts(WebhookSecrets secrets, Optional<Path> authorities, int answerBytesMax, LongSupplier nowMillis)
            throws IOException {
        this.secrets = secrets;
        this.answerBytesMax = answerBytesMax;
        this.nowMillis = nowMillis;
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER);
        if (authorities.isPresent()) {
            builder.sslContext(Authorities.context(authorities.get()));
        }
        client = builder.build();
    }

    /**
     * Sends one request. Throws an IOException without a complete answer within {@code millis}; a slow answer is then ended, so
     * that it holds no connection.
     */
    public Answer post(URI url, String id, byte[] body, long millis) throws IOException, InterruptedException {
        long seconds = TimeUnit.MILLISECONDS.toSeconds(nowMillis.getAsLong());
        HttpRequest request = HttpRequest.newBuilder(url)
                .timeout(Duration.ofMillis(Math.max(1, millis)))
                .header("Content-Type", "application/json")
                .header("User-Agent", "belfry")
                .header("webhook-id", id)
                .header("webhook-timestamp", Long.toString(seconds))
                .header("webhook-signature", secrets.signature(id, seconds, body))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        CompletableFuture<HttpResponse<byte[]>> exchange = client.sendAsync(
                request, HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), answerBytesMax));
        try {
            HttpResponse<byte[]> answer = exchange.get(millis, TimeUnit.MILLISECONDS);
            return new Answer(answer.statusCode(), answer.body());
        } catch (TimeoutException late) {
            throw new HttpTimeoutException("no complete answer within " + millis + " ms");
        } catch (ExecutionException failed) {
            throw explained(failed.getCause());
        } finally {
            exchange.cancel(true);
        }
    }

    /** Returns an exception with a message for the log; the client of the JDK gives none when no connection is accepted. */
    private static IOException explained(@Nullable Throwable cause) {
        if (cause instanceof ConnectException && cause.getMessage() == null) {
            IOException explained = new ConnectException("no connection");
            explained.initCause(cause);
            return explained;
        }
        return cause instanceof IOException io ? io : new IOException(String.valueOf(cause), cause);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
