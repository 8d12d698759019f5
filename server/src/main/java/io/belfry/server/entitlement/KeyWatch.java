package io.belfry.server.entitlement;

import io.belfry.server.config.JwtConfig;
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
 * Keeps the ring as the sources are: files when they change, a URL again and again. What cannot be read leaves the keys
 * there were. Owner: a thread of its own, which may block; {@link #start} and {@link #close} are for who starts the server.
 */
final class KeyWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeyWatch.class);
    private static final long LOOK_MILLIS = 1000;

    /** After a failure, if that is sooner than the time set. */
    private static final long AGAIN_MILLIS = 10_000;

    private static final CompletableFuture<Void> NOT_NOW = CompletableFuture.completedFuture(null);

    private final KeyRing ring;
    private final List<KeySource> sources;
    private final long refreshMillis;
    private final long unknownKeyMillis;
    private final Runnable onFailure;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("belfry-keys").factory());

    /** The last fetch for a key that was not known, and when it began. Guarded by this. */
    private CompletableFuture<Void> fetching = NOT_NOW;

    private long fetchedMillis = Long.MIN_VALUE / 2;

    /** {@code onFailure} counts, on whatever thread. */
    KeyWatch(KeyRing ring, JwtConfig config, Runnable onFailure) {
        this.ring = ring;
        this.sources = KeySource.of(config);
        this.refreshMillis = config.refreshMillis();
        this.unknownKeyMillis = config.unknownKeyMillis();
        this.onFailure = onFailure;
    }

    /** Files must be there; a URL may be away, for then the server waits for it and refuses with {@code not-ready}. */
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
        // With a URL, the keys there were hold until it has answered.
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
     * A token names a key that is not here: fetches the key set at once, unless that was done for such a token a short while
     * ago. The future is done when the keys are those of now; null where there is nothing to wait for. Any thread.
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

    /** Answers whether it could be read. */
    private boolean readAgain(KeySource source) {
        try {
            source.read();
            fillRing();
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.warn("The keys of tokens cannot be read from {}, those before hold: {}", source.name(), e.getMessage());
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
