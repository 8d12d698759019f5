package io.belfry.server.entitlement;

import io.belfry.server.config.JwtKeyConfig;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the keys up to date with their sources: files when they change, a URL periodically. A failed read leaves the earlier
 * keys in place. Owner: a thread of its own, which may block; {@link #start} and {@link #close} are for the starting thread.
 */
final class KeyWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeyWatch.class);
    private static final long LOOK_MILLIS = 1000;

    /** Time until the next attempt after a failure, if it is shorter than the configured interval. */
    private static final long AGAIN_MILLIS = 10_000;

    private static final CompletableFuture<Void> NOT_NOW = CompletableFuture.completedFuture(null);

    private final KeyRing ring;
    private final List<KeySource> sources;
    private final long refreshMillis;
    private final long unknownKeyMillis;
    private final Runnable onFailure;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("belfry-keys").factory());

    /** The last fetch for an unknown key, and when it started. Guarded by this. */
    private CompletableFuture<Void> fetching = NOT_NOW;

    private long fetchedMillis = Long.MIN_VALUE / 2;

    /** Creates a watch; {@code onFailure} is called on any thread. */
    KeyWatch(KeyRing ring, JwtKeyConfig config, Runnable onFailure) {
        this.ring = ring;
        this.sources = KeySource.of(config);
        this.refreshMillis = config.refreshMillis();
        this.unknownKeyMillis = config.unknownKeyMillis();
        this.onFailure = onFailure;
    }

    /** Starts the watch. Files must exist; an unreachable URL is retried, and tokens get {@code not-ready} until then. */
    void start() throws IOException {
        try {
            for (KeySource source : sources) {
                if (!source.isRemote()) {
                    source.read();
                }
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted while reading keys", e);
        }
        if (sources.stream().noneMatch(KeySource::isRemote)) {
            fillRing();
        }
        // With a URL the earlier keys stay valid until it has answered.
        sources.stream().filter(KeySource::isRemote).forEach(source -> later(source, 0));
        thread.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void later(KeySource source, long millis) {
        thread.schedule(
                () -> later(source, readAgain(source) ? refreshMillis : Math.min(refreshMillis, AGAIN_MILLIS)),
                millis,
                TimeUnit.MILLISECONDS);
    }

    /**
     * Fetches the key set at once for a token with an unknown key, unless that happened a short time ago.
     * The future completes when the keys are up to date; null if there is nothing to wait for. Any thread.
     */
    synchronized @Nullable CompletableFuture<Void> fetchUnknown(long nowMillis) {
        if (!fetching.isDone()) {
            return fetching;
        }
        if (nowMillis - fetchedMillis < unknownKeyMillis || sources.stream().noneMatch(KeySource::isRemote)) {
            return null;
        }
        fetchedMillis = nowMillis;
        try {
            fetching = CompletableFuture.runAsync(
                    () -> sources.stream().filter(KeySource::isRemote).forEach(this::readAgain), thread);
        } catch (RejectedExecutionException closed) {
            return null;
        }
        return fetching;
    }

    private void look() {
        sources.stream().filter(KeySource::hasChanged).forEach(this::readAgain);
    }

    /** Reads a source again; returns whether that succeeded. */
    private boolean readAgain(KeySource source) {
        try {
            source.read();
            fillRing();
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "token keys could not be read from {}; the previous keys stay valid: {}",
                    source.name(),
                    e.getMessage());
            onFailure.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void fillRing() {
        ring.replace(sources.stream().flatMap(source -> source.keys().stream()).toList());
    }

    @Override
    public void close() {
        thread.shutdownNow();
        sources.forEach(KeySource::close);
    }
}
