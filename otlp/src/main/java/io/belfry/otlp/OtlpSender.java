package io.belfry.otlp;

import io.belfry.server.config.OtlpConfig;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends encoded metrics and spans to the receiver. Each request has a time limit, and is not repeated: metrics are
 * cumulative, and lost spans are counted. Failures are counted and logged at most once per minute. Any thread.
 */
final class OtlpSender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OtlpSender.class);
    private static final Duration CONNECT_TIME = Duration.ofSeconds(5);
    private static final long ANSWER_MILLIS = 10_000;

    /** Time limit of all requests together during the stop of the server. */
    private static final long HURRIED_MILLIS = 1000;

    private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final OtlpConfig config;
    private final String agent;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIME)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private final AtomicLong failures = new AtomicLong();

    /** Completed when the time for the last requests has passed. */
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();

    /** Guarded by this object. */
    private long loggedFailures;

    private long loggedAtNanos = System.nanoTime() - LOG_NANOS;
    private boolean failing;

    OtlpSender(OtlpConfig config, String version) {
        this.config = config;
        agent = "belfry/" + version;
    }

    /** Sends one request and waits for its answer; returns whether the receiver accepted it. */
    boolean send(String signal, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(config.urlOf(signal))
                .header("Content-Type", "application/x-protobuf")
                .header("User-Agent", agent)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        config.headers().forEach(request::setHeader);
        CompletableFuture<HttpResponse<Void>> answer =
                client.sendAsync(request.build(), HttpResponse.BodyHandlers.discarding());
        try {
            CompletableFuture.anyOf(answer, over).get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
            if (!answer.isDone()) {
                throw new TimeoutException();
            }
            int status = answer.get().statusCode();
            if (status >= 200 && status < 300) {
                onSuccess();
                return true;
            }
            onFailure(signal, "status " + status);
        } catch (TimeoutException late) {
            // Ends the exchange, so that a slow receiver holds one connection at most.
            answer.cancel(true);
            onFailure(
                    signal, over.isDone() ? "no answer before the stop" : "no answer within " + ANSWER_MILLIS + " ms");
        } catch (ExecutionException failed) {
            onFailure(signal, String.valueOf(failed.getCause()));
        } catch (InterruptedException stopping) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void onFailure(String signal, String error) {
        long count = failures.incrementAndGet();
        synchronized (this) {
            failing = true;
            if (mayLog()) {
                LOG.warn(
                        "OTLP export failed: signal={} url={} error=\"{}\" failures={}; clients are served as before,"
                                + " check Otlp.Endpoint and the receiver",
                        signal,
                        config.urlOf(signal),
                        error,
                        count - loggedFailures);
                loggedFailures = count;
            }
        }
    }

    private synchronized void onSuccess() {
        if (failing && mayLog()) {
            failing = false;
            LOG.info("OTLP export succeeds again");
        }
    }

    private boolean mayLog() {
        long now = System.nanoTime();
        if (now - loggedAtNanos < LOG_NANOS) {
            return false;
        }
        loggedAtNanos = now;
        return true;
    }

    long failures() {
        return failures.get();
    }

    /** Ends all requests after a short time, the present ones too, because the server stops. */
    void hurry() {
        over.completeOnTimeout(true, HURRIED_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
